import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { table } from '../../src/cli/table.ts'

/** A request as the stub received it. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly headers: IncomingMessage['headers']
}

/** The stub's response; undefined selects the default one. */
export interface Reply {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Destroys the connection instead of answering. */
  readonly cut?: true
  readonly delay?: number
}
export type Handler = (request: Received) => Reply | undefined

export interface KeyPair {
  readonly key: string
  readonly cert: string
}

export interface Stub {
  readonly url: string
  readonly requests: Received[]
  /** Requests as `METHOD /path?query`, without the base path. */
  lines(): string[]
  handle(handler: Handler): void
  reset(): void
  /** Presents another certificate from now on. */
  show(pair: KeyPair): void
  close(): Promise<void>
}

const id = (n: number): string => `01K9ZQ5T3M8V4X7C2B6N1D${String(n).padStart(4, '0')}`
export const ids = { alice: id(1), bob: id(2), package: id(11), job: id(21), ip: id(31), list: id(41), token: id(51) }

export const account = (username: string, accountId: string, more: object = {}) => ({
  id: accountId,
  username,
  main_domain: `${username}.example`,
  status: 'active',
  contact_email: '',
  created_at: 1_700_000_000_000,
  package_id: ids.package,
  package_name: 'default',
  owner_name: 'root',
  disk_used_mb: 3,
  ...more,
})

const bodyIn = (text: string, type = ''): unknown => (type.includes('octet-stream') ? text : JSON.parse(text))

const accounts = [account('alice', ids.alice), account('bob', ids.bob, { status: 'suspended' })]
const collections: Record<string, object[]> = {
  accounts,
  packages: [
    { id: ids.package, name: 'default', owner: 'root', account_count: 2 },
    { id: id(12), name: 'large', owner: 'root', account_count: 0, disk_quota_mb: 9000 },
    { id: id(13), name: 'small', owner: 'root', account_count: 0 },
  ],
  'feature-lists': [
    { id: ids.list, name: 'default', package_count: 1, updated_at: 1_700_000_000_000 },
    { id: id(42), name: 'basic', package_count: 0, updated_at: 1_700_000_000_000 },
  ],
  ips: [
    { id: ids.ip, address: '127.0.0.1', kind: 'shared', main: true, account_count: 2 },
    { id: id(32), address: '192.0.2.10', kind: 'dedicated', main: false, account_count: 0 },
  ],
}

const notFound: Reply = {
  status: 404,
  body: { type: 'https://stub.example/problems/not-found', title: 'Not found', status: 404 },
}

const named = (item: object): string => Object.values(item)[1] as string

function list(items: readonly object[], query: URLSearchParams): Reply {
  const found = items.filter((item) => named(item).includes(query.get('q') ?? ''))
  const size = Number(query.get('per_page') ?? (found.length || 1))
  const first = (Number(query.get('page') ?? 1) - 1) * size
  const exactFirst = [...found].sort((one) => (named(one) === query.get('q') ? -1 : 0))
  return { body: { items: exactFirst.slice(first, first + size), total: found.length } }
}

const job = (status: string) => ({
  job: {
    id: ids.job,
    kind: 'stub.job',
    status,
    attempts: 1,
    max_attempts: 3,
    progress_pct: 100,
    created_at: 1,
    payload: {},
  },
  log: [{ at: 5, level: 'info', message: 'worked' }],
})

/** Objects of alice for every name that the examples use, in areas without data above. */
const anything = [
  ...new Set(
    table.commands.flatMap(({ words, examples }) =>
      examples.flatMap((line) => line.split(' ').filter((word) => !/^(-|panel$)/.test(word) && !words.includes(word))),
    ),
  ),
].map((word, at) => ({
  id: id(1000 + at),
  name: word,
  username: word,
  address: word,
  host: word,
  login: word,
  domain: word,
  number: word,
  account_id: ids.alice,
}))

/** Sites are named by domain and path. */
const sites = anything.map((item) => ({
  ...item,
  domain: item.name.split('/', 1)[0],
  path: item.name.includes('/') ? item.name.slice(item.name.indexOf('/')) : '/',
}))

/** Enough of the API for any command: lists, members, jobs that succeed, 404 for the rest. */
function standard({ method, path, query }: Received): Reply {
  const [, area = '', member, verb] = path.split('/')
  if (area === 'jobs' && member) return { body: job('succeeded') }
  const items = collections[area]
  if (path.endsWith('/wordpress') && method === 'GET') return list(sites, query)
  if (!items) return method === 'GET' ? list(anything, query) : { status: 202, body: {} }
  if (!member) return method === 'GET' ? list(items, query) : { status: 202, body: accepted(items[0]) }
  const found = items.find((item) => (item as { id: string }).id === member)
  if (!found) return notFound
  if (method === 'GET') return verb ? list(anything, query) : { body: found }
  return verb === 'password' || area !== 'accounts' ? { status: 204 } : { status: 202, body: accepted(found) }
}

const accepted = (found: object | undefined) => ({ account: found, job_id: ids.job })

async function received(incoming: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const url = new URL(incoming.url ?? '', 'http://stub')
  const text = Buffer.concat(chunks).toString()
  return {
    method: incoming.method ?? '',
    path: url.pathname.replace(/^\/api\/v1/, ''),
    query: url.searchParams,
    body: text ? bodyIn(text, incoming.headers['content-type']) : undefined,
    headers: incoming.headers,
  }
}

function send(outgoing: ServerResponse, { status = 200, body, headers, cut }: Reply): void {
  if (cut) return void outgoing.destroy()
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  outgoing.writeHead(status, { 'content-type': type, 'x-request-id': 'req-1', ...headers })
  outgoing.end(body === undefined || status === 204 ? undefined : JSON.stringify(body))
}

/** A server that responds as told, on a port of 127.0.0.1 or a socket; over TLS if it has a certificate. */
export async function startStub(socket?: string, pair?: KeyPair): Promise<Stub> {
  const requests: Received[] = []
  let handler: Handler = () => undefined
  const answer: RequestListener = async (incoming, outgoing) => {
    const request = await received(incoming)
    requests.push(request)
    const reply = handler(request) ?? standard(request)
    setTimeout(() => send(outgoing, reply), reply.delay ?? 0)
  }
  const server = pair ? createSecureServer(pair, answer) : createServer(answer)
  await new Promise<void>((resolve) => {
    if (socket) server.listen(socket, resolve)
    else server.listen(0, '127.0.0.1', resolve)
  })
  const line = ({ method, path, query }: Received): string => `${method} ${path}${query.size > 0 ? `?${query}` : ''}`
  return {
    url: socket ? '' : `${pair ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    lines: () => requests.map(line),
    handle: (next) => {
      handler = next
    },
    reset: () => {
      requests.length = 0
      handler = () => undefined
    },
    show: (next) => (server as SecureServer).setSecureContext(next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
