import type { Json, World } from '../world.ts'

/** Reads events as they come, by a cursor, whatever happens to the server. */
export class Follower {
  readonly seen: Json[] = []
  readonly #world: World
  readonly #running: Promise<void>
  #over = false

  constructor(world: World) {
    this.#world = world
    this.#running = this.#run()
  }

  /** Reads to the end. */
  async end(): Promise<void> {
    this.#over = true
    await this.#running
    while ((await this.#read()) > 0);
  }

  async #run(): Promise<void> {
    while (!this.#over) {
      const more = await this.#read().catch(() => 0)
      if (more === 0) await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  async #read(): Promise<number> {
    const { items } = await this.#world.sure('GET', `/events?after=${this.seen.at(-1)?.seq ?? 0}&limit=500`)
    this.seen.push(...items)
    return items.length
  }
}
