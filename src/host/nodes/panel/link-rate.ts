import { minute } from '../../../shared/time.ts'

/** An honest node waits at least a quarter of a second between two. */
const MAX_LINKS_PER_MINUTE = 240

interface LinkCount {
  count: number
  readonly until: number
}

/** How often each node links: every link is written to the store and looked into. */
export class LinkRate {
  readonly #now: () => number
  readonly #links = new Map<string, LinkCount>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts another link; a sentence for a node that has had too many. */
  refusal({ id, name }: { readonly id: string; readonly name: string }): string | undefined {
    const known = this.#links.get(id)
    const links = known && this.#now() < known.until ? known : { count: 0, until: this.#now() + minute }
    this.#links.set(id, links)
    if (++links.count <= MAX_LINKS_PER_MINUTE) return undefined
    return `Node ${name} has connected ${MAX_LINKS_PER_MINUTE} times within a minute and must wait for the next.`
  }
}
