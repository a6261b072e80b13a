import { catalogZone, tsigAlgorithm, tsigName } from './catalog.ts'

export interface Primary {
  /** Its address. */
  readonly address: string
  /** The peer name by which it knows this name server. */
  readonly name: string
  readonly secret: string
  /** The numbers of its catalogs. */
  readonly catalogs: readonly number[]
}

/** BIND waits 5 seconds between catalog updates; a new zone should be served sooner. */
const betweenLooks = 'min-update-interval 2'

/** Makes BIND 9.18 and later serve all zones of a primary: lines beside its options, and inside them. */
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
