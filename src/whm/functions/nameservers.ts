import { Problem } from '../../contract/problem.ts'
import type { Call } from '../function.ts'

const places = ['nameserver', 'nameserver2', 'nameserver3', 'nameserver4'] as const

/** The nameservers of a main domain's zone; empty without a zone or without access to it. */
export async function nameserversOf(call: Call, id: string, domain: string) {
  const hosts = await hostsOf(call, id, domain)
  return Object.fromEntries(places.map((place, at) => [place, hosts[at] ?? '']))
}

/** The account exists by now: failing to read more must not fail the call. */
async function hostsOf({ session }: Call, id: string, domain: string): Promise<readonly string[]> {
  if (session.denial('listDnsZones')) return []
  try {
    const { items } = await session.perform('listDnsZones', { params: { id }, query: { q: domain } })
    return items.find(({ name }) => name === domain)?.nameservers ?? []
  } catch (error) {
    if (error instanceof Problem) return []
    throw error
  }
}
