import type { Area } from '../areas/area.ts'
import type { JobRow } from '../tables.ts'

type LaneJob = Pick<JobRow, 'lane' | 'tenant' | 'urgent'>

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
  full(running: readonly LaneJob[], share: number): readonly Full[] {
    const inSideLanes = running.flatMap(({ lane, tenant }) => {
      const family = familyOf(lane)
      return family === undefined ? [] : { family, tenant }
    })
    if (inSideLanes.length >= Math.max(1, Math.floor(share / 2))) return []
    const counts = counted(inSideLanes.map(({ family }) => family))
    const families = Object.entries(this.#limits).flatMap(([name, limit]) =>
      (counts.get(name) ?? 0) >= limit ? name : [],
    )
    const parts = counted(inSideLanes.flatMap(({ family, tenant }) => (tenant === null ? [] : `${family}:${tenant}`)))
    return this.#rounds(parts).map((full) => ({ families, parts: full }))
  }

  #rounds(parts: ReadonlyMap<string, number>): string[][] {
    const highest = Math.max(0, ...parts.values()) + 1
    return Array.from({ length: highest }, (_, n) =>
      [...parts].flatMap(([part, count]) => (count >= Math.min(n + 1, this.#limitOfTenant(part)) ? part : [])),
    )
  }

  #limitOfTenant(part: string): number {
    const limit = this.#limits[familyOf(part)!] ?? Number.POSITIVE_INFINITY
    return limit >= MIN_LANES_TO_SHARE ? limit - 1 : limit
  }
}

/**
 * The tenants that may start no more jobs: a tenant takes a slot only while more are free than it uses. So it has at
 * most half of them, two have three quarters, and a third and fourth still find one.
 */
export function fullTenants(running: readonly LaneJob[], free: number): string[] {
  return [...ofTenants(running)].flatMap(([tenant, count]) => (count >= free ? tenant : []))
}

/** How many jobs may start at once so that, whoever's they are, no tenant exceeds its share. */
export function claimLimit(running: readonly LaneJob[], free: number): number {
  const highest = Math.max(0, ...[...ofTenants(running).values()].filter((count) => count < free))
  return Math.floor((free - highest + 1) / 2)
}

const ofTenants = (running: readonly LaneJob[]): Map<string, number> =>
  counted(running.flatMap(({ tenant }) => tenant ?? []))

/** Free slots of a node: each tenant's first urgent job is in one of those for urgent jobs, while there are any. */
export function freeSlots(running: readonly LaneJob[], share: number, extra: number) {
  const urgent = new Set(running.flatMap((row) => (row.urgent ? row.tenant : []))).size
  const beside = Math.min(extra, urgent)
  return { ordinary: Math.max(0, share - (running.length - beside)), extra: extra - beside }
}

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
