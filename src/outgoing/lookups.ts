import { Resolver } from 'node:dns/promises'

export interface Exchange {
  readonly priority: number
  readonly host: string
}

/** What name servers say of a name: nothing where there is none. Throws where no answer comes. */
export interface Lookups {
  txt(name: string): Promise<readonly string[]>
  mx(name: string): Promise<readonly Exchange[]>
  /** Of both families. */
  addresses(name: string): Promise<readonly string[]>
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

/** The system's own resolver, asked once for each name. */
export const systemLookups: Lookups = {
  txt: async (name) => (await orNone(resolver().resolveTxt(name))).map((parts) => parts.join('')),
  mx: async (name) =>
    (await orNone(resolver().resolveMx(name))).map(({ priority, exchange }) => ({ priority, host: exchange })),
  addresses: async (name) => {
    const one = resolver()
    return (await Promise.all([orNone(one.resolve4(name)), orNone(one.resolve6(name))])).flat()
  },
}
