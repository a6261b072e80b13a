import { Failure } from '../failure.ts'
import type { Call } from '../function.ts'

/** The id of one of this server's addresses. */
export async function findIp({ session }: Call, address: string): Promise<string> {
  const { items } = await session.perform('listIps', { query: { q: address.slice(0, 64), per_page: '1' } })
  const found = items.find((ip) => ip.address === address)
  if (!found) throw new Failure(`The IP address “${address}” is not available on this server.`)
  return found.id
}
