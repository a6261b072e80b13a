import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inTurn } from '../compare.ts'
import { percentile, rounded } from '../figures.ts'
import { ask, newDirectory } from '../panel.ts'
import type { Row } from '../row.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const seconds = 3
const script = fileURLToPath(new URL('../load/bodies.ts', import.meta.url))
const [name, records] = ['bytes000001', 9_000]

const zoneFile = (text: string): string => JSON.stringify({ zone_file: text })
const filled = (line: string): string => zoneFile(line.repeat(Math.floor((7 * 1024 * 1024) / line.length)))
const own = many(records, (at) => `h${at} A 192.0.2.1`).join('\n')
const text = (at: number) => ({ name: `x${at}`, type: 'TXT', value: 'y'.repeat(1_800) })

/** Bodies that cost as much as their limits allow, sent in turn, and the path that they are sent to: below a zone, or with a `/` of the server. */
type Bodies = readonly [path: string, ...bodies: string[]]

const bodies: Readonly<Record<string, Bodies | ((directory: string, zone: string) => Promise<Bodies>)>> = {
  'zone files of 600,000 records': ['import', filled('a A 1.2.3.4\n')],
  'zone files of 1,200,000 skipped records': ['compare', filled('a SOA\n')],
  'zone files of 7,000,000 empty lines': ['compare', filled('\n')],
  'zone files of one long text': ['compare', zoneFile(`a TXT "${'\\120'.repeat(1_000_000)}"`)],
  'comparisons of a zone of 9,000 records': ['compare', zoneFile(own)],
  'bodies of 1 MiB with 9,000 fields': ['changes', JSON.stringify(Object.fromEntries(many(9_000, field)))],
  'bodies of 49,000 nested lists': ['changes', `{"create":${'['.repeat(49_000)}${']'.repeat(49_000)}}`],
  'bodies of 1 MiB of blanks': ['changes', `{${' '.repeat(1_000_000)}}`],
  'changes of 500 records': updates,
  'certificates of 1,000 blocks of PEM': certificates,
  'messages to /mcp of 49,000 nested lists': [
    '/mcp',
    `{"jsonrpc":"2.0","id":1,"method":${'['.repeat(49_000)}${']'.repeat(49_000)}}`,
  ],
  'messages to /mcp of 9,000 fields': ['/mcp', JSON.stringify(Object.fromEntries(many(9_000, field)))],
}

/** As many short blocks as fit, none of which is a certificate. */
async function certificates(_: string, zone: string): Promise<Bodies> {
  const block = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n'
  const body = { certificate: block.repeat(1_000), key: block, chain: block.repeat(1_000) }
  return [zone.replace(/\/dns\/zones\/.*/, '/ssl/certificates'), JSON.stringify(body)]
}

/** Each of them changes all records that the other one has changed. */
async function updates(directory: string, zone: string): Promise<Bodies> {
  const { created } = await ask(directory, 'POST', `${zone}/changes`, { create: many(500, text) })
  const body = (letter: string) =>
    JSON.stringify({ update: created.map(({ id }: { id: string }) => ({ id, value: letter.repeat(1_800) })) })
  return ['changes', body('y'), body('z')]
}

function field(at: number): readonly [string, string] {
  return [`name-${at}`, 'x'.repeat(80)]
}

function many<T>(count: number, one: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => one(at))
}

/**
 * What another caller waits for an account while one sends such bodies without a pause. Each loaded round follows an
 * idle one, after a warm-up of both; the figures are those of all rounds together.
 */
export const measure = ({ small }: World, only = ''): Promise<Row[]> => {
  const { directory, token, account } = copyOf(small)
  return withPanel({ ...small, directory }, async ({ url }) => {
    const zone = await fullZone(directory)
    const read = { url: `${url}/accounts/${account.id}`, token }
    const rows: Row[] = []
    for (const [what, made] of Object.entries(bodies).filter(([name]) => name.includes(only))) {
      const [path, ...texts] = typeof made === 'function' ? await made(directory, zone) : made
      const idle = () => paced(read)
      const busy = async () =>
        during(path.startsWith('/') ? `${url}${path}` : `${url}${zone}/${path}`, await newToken(directory), texts, () =>
          paced(read),
        )
      await inTurn({ idle, busy }, 1)
      const taken = await inTurn({ idle, busy })
      rows.push(rowOf(what, taken['busy']!.flat(), taken['idle']!.flat()))
    }
    return rows
  })
}

const perSecond = 100

interface Read {
  readonly url: string
  readonly token: string
}

/** Asks at set times, whether earlier answers have come or not: a stop is felt by all that fall into it. */
async function paced({ url, token }: Read): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const headers = { Authorization: `Bearer ${token}` }
  const began = performance.now()
  const waits = await Promise.all(
    many(perSecond * seconds, async (at) => {
      const due = began + (at * 1000) / perSecond
      await sleep(due - performance.now())
      // This process may be late itself.
      const sent = Math.max(due, performance.now())
      await once(request(url, { agent, headers }, (answer) => answer.resume()).end(), 'close')
      return performance.now() - sent
    }),
  )
  agent.destroy()
  return waits
}

function rowOf(what: string, busy: readonly number[], idle: readonly number[]): Row {
  const [p50, p99] = [percentile(busy, 0.5), percentile(busy, 0.99)].map(rounded) as [number, number]
  const idleP99 = percentile(idle, 0.99)
  return {
    what: `the p99 of ${busy.length} reads beside ${what}`,
    value: p99,
    unit: 'ms',
    p50,
    p99,
    ratios: { [`its p99 when idle, ${rounded(idleP99)} ms`]: rounded(p99 / idleP99) },
  }
}

async function fullZone(directory: string): Promise<string> {
  const { account } = await ask(directory, 'POST', '/accounts', { username: name, domain: `${name}.example` })
  const [{ id }] = (await ask(directory, 'GET', `/accounts/${account.id}/dns/zones`)).items
  const zone = `/accounts/${account.id}/dns/zones/${id}`
  const all = own.split('\n')
  for (let first = 0; first < records; first += 1_800)
    await ask(directory, 'POST', `${zone}/import`, { zone_file: all.slice(first, first + 1_800).join('\n') })
  return zone
}

/** Each round has a token of its own: what the earlier ones have spent does not slow it down. */
async function newToken(directory: string): Promise<string> {
  return (await ask(directory, 'POST', '/tokens', { name: `bytes-${Math.random()}`, scopes: ['full-access'] })).secret
}

async function during(
  url: string,
  token: string,
  bodies: readonly string[],
  work: () => Promise<number[]>,
): Promise<number[]> {
  const files = bodies.map((body) => {
    const file = join(newDirectory(), 'body')
    writeFileSync(file, body)
    return file
  })
  const sender: ChildProcess = spawn(
    process.execPath,
    ['--import', 'tsx', script, url, token, String(5 * seconds), ...files],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(sender.stdout!, 'data')
  try {
    return await work()
  } finally {
    sender.kill()
  }
}
