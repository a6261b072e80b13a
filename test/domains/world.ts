import type { Lookups } from '../../src/outgoing/lookups.ts'

type Name = `${'txt' | 'ns' | 'mx' | 'addresses'} ${string}`

/** The public DNS: names that are not in it do not exist. */
export class World {
  readonly #answers = new Map<string, readonly string[]>()
  /** Whether name servers answer. */
  isSilent = false
  requests = 0
  /** Whose name servers were looked up. */
  readonly names = new Set<string>()

  set(name: Name, ...answer: string[]): void {
    this.#answers.set(name, answer)
  }

  remove(name: Name): void {
    this.#answers.delete(name)
  }

  #answer = (kind: string, name: string): Promise<readonly string[]> => {
    this.requests++
    if (kind === 'ns') this.names.add(name)
    return this.isSilent ? new Promise(() => {}) : Promise.resolve(this.#answers.get(`${kind} ${name}`) ?? [])
  }

  readonly lookups: Lookups = {
    txt: (name) => this.#answer('txt', name),
    ns: (name) => this.#answer('ns', name),
    mx: async (name) =>
      (await this.#answer('mx', name)).map((text) => {
        const [priority, host] = text.split(' ')
        return { priority: Number(priority), host: host! }
      }),
    addresses: (name) => this.#answer('addresses', name),
    reverse: (address) => this.#answer('reverse', address),
  }
}
