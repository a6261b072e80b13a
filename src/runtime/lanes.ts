import type { Area } from './area.ts'

/** `backup` of `backup:01K9…`, a lane beside an account's own; nothing of an account's. */
export const familyOf = (lane: string | null): string | undefined => /^([a-z]+):/.exec(lane ?? '')?.[1]

/** How much of a node's share lanes beside the accounts' own may take: an account's own jobs never wait behind all of them. */
export class SideLanes {
  readonly #limits: Readonly<Record<string, number>>

  constructor(areas: readonly Area[]) {
    this.#limits = Object.assign({}, ...areas.map(({ lanes }) => lanes ?? {}))
  }

  /** Families of which no more may begin beside these lanes of a node with this share; undefined where no family may. */
  full(running: readonly (string | null)[], share: number): readonly string[] | undefined {
    const families = running.flatMap((lane) => familyOf(lane) ?? [])
    if (families.length >= Math.max(1, Math.floor(share / 2))) return undefined
    const count = (name: string) => families.filter((family) => family === name).length
    return Object.entries(this.#limits).flatMap(([name, limit]) => (count(name) >= limit ? name : []))
  }
}
