import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** So many things in each list. */
const count = 20

const things = Array.from({ length: count }, (_, at) => ({
  id: `01K9ZQ5T3M8V4X7C2B6N1D${String(at).padStart(4, '0')}`,
  name: `thing${at}`,
  title: `thing${at}`,
  username: `thing${at}`,
  main_domain: `thing${at}.example`,
  status: 'active',
  package_name: 'default',
  owner_name: 'root',
  disk_used_mb: 3,
  created_at: 1_700_000_000_000,
  updatedAt: 1_700_000_000_000,
  targets: {},
}))

const user = { id: 'u', uid: 'u', username: 'me', email: 'me@stub.example', defaultTeamId: null, version: 'northstar' }
const pagination = { count, next: null, prev: null }

/** What each of the programs asks for, by the part of the path that tells it. */
const answers: readonly (readonly [RegExp, (query: URLSearchParams) => object])[] = [
  [/^\/api\/v1\/accounts/, () => ({ items: things, total: count })],
  [
    /\/kv\/namespaces/,
    (query) => ({ success: true, errors: [], messages: [], result: query.has('page') ? [] : things }),
  ],
  [/^\/v2\/user/, () => ({ user })],
  [/\/projects/, () => ({ projects: things, pagination })],
  [/\/teams/, () => ({ teams: [], pagination })],
]

/** A server on loopback that has a list for each program. */
export async function startStub(): Promise<{ url: string; close(): void }> {
  const server: Server = createServer((incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://stub')
    const answer = answers.find(([pattern]) => pattern.test(pathname))?.[1]
    outgoing.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify(answer?.(searchParams) ?? {}))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() }
}
