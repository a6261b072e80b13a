import type { Area } from './area.ts'

/** `backup` for `backup:01K9…`, a side lane; undefined for an account's own lane. */
export const familyOf = (lane: string | null): string | undefined => /^([a-z]+):/.exec(lane ?? '')?.[1]

/** Limits side lanes to a part of a node's share, so that accounts' own jobs never wait behind all of them. */
export class SideLanes {
  readonly #limits: Readonly<Record<string, number>>

  constructor(areas: readonly Area[]) {
    this.#limits = Object.assign({}, ...areas.map(({ lanes }) => lanes ?? {}))
  }

  /** Families that may start no more jobs, given the node's running lanes and share; undefined if none may. */
  full(running: readonly (string | null)[], share: number): readonly string[] | undefined {
    const families = running.flatMap((lane) => familyOf(lane) ?? [])
    if (families.length >= Math.max(1, Math.floor(share / 2))) return undefined
    const count = (name: string) => families.filter((family) => family === name).length
    return Object.entries(this.#limits).flatMap(([name, limit]) => (count(name) >= limit ? name : []))
  }
}
