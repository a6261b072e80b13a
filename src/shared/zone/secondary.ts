import { catalogZone, tsigAlgorithm, tsigName } from './catalog.ts'

export interface Primary {
  /** Where it answers. */
  readonly address: string
  /** The peer that it knows this name server as. */
  readonly name: string
  readonly secret: string
  /** The numbers of its catalogs. */
  readonly catalogs: readonly number[]
}

/** BIND waits 5 seconds after each look at a catalog; a new zone should answer sooner. */
const betweenLooks = 'min-update-interval 2'

/** What makes BIND 9.18 and later take all zones of a primary: beside its options, and inside of them. */
export function secondaryLines({ address, name, secret, catalogs }: Primary) {
  const key = tsigName(name)
  const from = `{ ${address} key "${key}"; }`
  const zones = catalogs.map(catalogZone)
  return {
    beside: [
      `key "${key}" { algorithm ${tsigAlgorithm}; secret "${secret}"; };`,
      ...zones.map((zone) => `zone "${zone}" { type secondary; primaries ${from}; file "${zone}.zone"; };`),
    ],
    inside: [
      'catalog-zones {',
      ...zones.map((zone) => `  zone "${zone}" default-primaries ${from} ${betweenLooks};`),
      '};',
    ],
  }
}
