import { Resolver } from 'node:dns/promises'

/** Resolves every address of a name. Throws if it has none. */
export type Resolve = (name: string) => Promise<string[]>

const DNS_TIMEOUT = { timeout: 2000, tries: 2 }
const freshFor = 60_000

/**
 * Queries the name servers, never `/etc/hosts` nor the thread pool shared with files and passwords. `servers` replaces
 * the machine's own.
 */
export function resolverOf(servers?: readonly string[]): Resolve {
  const current = renewed(servers)
  return async (name) => {
    const resolver = current()
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw (answers[0] as PromiseRejectedResult).reason ?? new Error(`no address of ${name}`)
    return addresses
  }
}

/** A resolver reads the machine's settings only once: a new one every minute picks up changes. */
function renewed(servers: readonly string[] | undefined): () => Resolver {
  let made = Number.NEGATIVE_INFINITY
  let resolver: Resolver
  return () => {
    if (performance.now() - made < freshFor) return resolver
    made = performance.now()
    resolver = new Resolver(DNS_TIMEOUT)
    if (servers) resolver.setServers(servers)
    return resolver
  }
}
