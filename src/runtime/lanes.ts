import type { Area } from './area.ts'
import type { JobRow } from './tables.ts'

type Running = Pick<JobRow, 'lane' | 'tenant' | 'urgent'>

/** `backup` for `backup:01K9…`, a side lane; undefined for an account's own lane. */
export const familyOf = (lane: string | null): string | undefined => /^([a-z]+):/.exec(lane ?? '')?.[1]

/** From this many lanes on, one is left to others: with fewer, a tenant alone could not use half of them. */
const MIN_LANES_TO_SHARE = 3

interface Full {
  readonly families: readonly string[]
  /** A tenant's part of a family, as `app:01K9…`. */
  readonly parts: readonly string[]
}

/** Limits side lanes to a part of a node's share, so that accounts' own jobs never wait behind all of them. */
export class SideLanes {
  readonly #limits: Readonly<Record<string, number>>

  constructor(areas: readonly Area[]) {
    this.#limits = Object.assign({}, ...areas.map(({ lanes }) => lanes ?? {}))
  }

  /**
   * What may start no more jobs, given a node's running ones and its share, in the order to try: tenants with fewer
   * than one running of a family, fewer than two, and so on. Empty if no side lane may start.
   */
  full(running: readonly Running[], share: number): readonly Full[] {
    const beside = running.flatMap(({ lane, tenant }) => {
      const family = familyOf(lane)
      return family === undefined ? [] : { family, tenant }
    })
    if (beside.length >= Math.max(1, Math.floor(share / 2))) return []
    const counts = counted(beside.map(({ family }) => family))
    const families = Object.entries(this.#limits).flatMap(([name, limit]) =>
      (counts.get(name) ?? 0) >= limit ? name : [],
    )
    const parts = counted(beside.flatMap(({ family, tenant }) => (tenant === null ? [] : `${family}:${tenant}`)))
    return this.#rounds(parts).map((full) => ({ families, parts: full }))
  }

  #rounds(parts: ReadonlyMap<string, number>): string[][] {
    const most = Math.max(0, ...parts.values()) + 1
    return Array.from({ length: most }, (_, n) =>
      [...parts].flatMap(([part, count]) => (count >= Math.min(n + 1, this.#limitOfTenant(part)) ? part : [])),
    )
  }

  #limitOfTenant(part: string): number {
    const limit = this.#limits[familyOf(part)!] ?? Number.POSITIVE_INFINITY
    return limit >= MIN_LANES_TO_SHARE ? limit - 1 : limit
  }
}

/** The tenants that use their share of a node's slots: a quarter of them is left to others. */
export function fullTenants(running: readonly Running[], share: number): string[] {
  const counts = counted(running.flatMap(({ tenant }) => tenant ?? []))
  return [...counts].flatMap(([tenant, count]) => (count >= tenantShare(share) ? tenant : []))
}

export const tenantShare = (share: number): number => Math.max(1, share - Math.max(1, Math.floor(share / 4)))

/** How many more jobs any tenant that is not full may start. */
export function tenantRoom(running: readonly Running[], share: number): number {
  const limit = tenantShare(share)
  const counts = counted(running.flatMap(({ tenant }) => tenant ?? []))
  return Math.min(limit, ...[...counts.values()].flatMap((count) => (count < limit ? limit - count : [])))
}

/** Free slots of a node: urgent jobs fill those for them first, then the others. */
export function freeSlots(running: readonly Running[], share: number, extra: number) {
  const urgent = running.filter((row) => row.urgent).length
  const ordinary = share - (running.length - urgent) - Math.max(0, urgent - extra)
  return { ordinary: Math.max(0, ordinary), extra: Math.max(0, extra - urgent) }
}

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
