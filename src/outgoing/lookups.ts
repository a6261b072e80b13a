import { Resolver } from 'node:dns/promises'

export interface Exchange {
  readonly priority: number
  readonly host: string
}

/** DNS look-ups: empty if a name has none. Throws without a response. */
export interface Lookups {
  txt(name: string): Promise<readonly string[]>
  /** Name servers, as the zone or its parent names them. */
  ns(name: string): Promise<readonly string[]>
  mx(name: string): Promise<readonly Exchange[]>
  /** IPv4 and IPv6. */
  addresses(name: string): Promise<readonly string[]>
  /** The names of an address. */
  reverse(address: string): Promise<readonly string[]>
}

const timeout = 5000
const absent = new Set(['ENODATA', 'ENOTFOUND'])

async function orNone<T>(answers: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await answers
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

const resolver = (): Resolver => new Resolver({ timeout, tries: 1 })

/** The system's resolver, without retries. */
export const systemLookups: Lookups = {
  txt: async (name) => (await orNone(resolver().resolveTxt(name))).map((parts) => parts.join('')),
  ns: (name) => orNone(resolver().resolveNs(name)),
  mx: async (name) =>
    (await orNone(resolver().resolveMx(name))).map(({ priority, exchange }) => ({ priority, host: exchange })),
  addresses: async (name) => {
    const one = resolver()
    return (await Promise.all([orNone(one.resolve4(name)), orNone(one.resolve6(name))])).flat()
  },
  reverse: (address) => orNone(resolver().reverse(address)),
}
