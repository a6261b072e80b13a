import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inTurn, ratioOf } from '../compare.ts'
import { median, percentile, rounded } from '../figures.ts'
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

/** A body that costs as much as its limits allow, and the path below a zone that it is sent to. */
const bodies: Readonly<Record<string, readonly [path: string, body: string]>> = {
  'zone files of 600,000 records': ['import', filled('a A 1.2.3.4\n')],
  'zone files of 1,200,000 skipped records': ['compare', filled('a SOA\n')],
  'zone files of 7,000,000 empty lines': ['compare', filled('\n')],
  'zone files of one long text': ['compare', zoneFile(`a TXT "${'\\120'.repeat(1_000_000)}"`)],
  'comparisons of a zone of 9,000 records': ['compare', zoneFile(own)],
  'bodies of 1 MiB with 9,000 fields': ['changes', JSON.stringify(Object.fromEntries(many(9_000, field)))],
  'bodies of 49,000 nested lists': ['changes', `{"create":${'['.repeat(49_000)}${']'.repeat(49_000)}}`],
  'bodies of 1 MiB of blanks': ['changes', `{${' '.repeat(1_000_000)}}`],
  'changes of 500 records': ['changes', JSON.stringify({ create: many(500, text), serial: 1 })],
}

function field(at: number): readonly [string, string] {
  return [`name-${at}`, 'x'.repeat(80)]
}

function many<T>(count: number, one: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => one(at))
}

/** What another caller waits for the document of the API while one sends such bodies without a pause. */
export const measure = ({ small }: World): Promise<Row[]> => {
  const { directory, token } = copyOf(small)
  return withPanel({ ...small, directory }, async ({ url }) => {
    const zone = await fullZone(directory)
    const other = () => paced(`${url}/openapi.json`)
    await other()
    const busy = ([path, body]: readonly [string, string]) => during(`${url}${zone}/${path}`, token, body, other)
    const taken = await inTurn<Waits>({
      idle: other,
      ...Object.fromEntries(Object.entries(bodies).map(([what, one]) => [what, () => busy(one)])),
    })
    return Object.keys(bodies).map((what) => rowOf(what, taken[what]!, taken['idle']!))
  })
}

interface Waits {
  readonly p50: number
  readonly p99: number
}

const perSecond = 100

/** Asks at set times, whether earlier answers have come or not: a stop is felt by all that fall into it. */
async function paced(url: string): Promise<Waits> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const began = performance.now()
  const waits = await Promise.all(
    many(perSecond * seconds, async (at) => {
      const due = began + (at * 1000) / perSecond
      await sleep(due - performance.now())
      await once(request(url, { agent }, (answer) => answer.resume()).end(), 'close')
      return performance.now() - due
    }),
  )
  agent.destroy()
  return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }
}

function rowOf(what: string, busy: readonly Waits[], idle: readonly Waits[]): Row {
  const [p50, p99] = [busy.map((each) => each.p50), busy.map((each) => each.p99)]
  const ratio = ratioOf(
    p99,
    idle.map((each) => each.p99),
  )
  const value = rounded(median(p99))
  return {
    what: `the p99 of a read beside ${what}`,
    value,
    unit: 'ms',
    p50: rounded(median(p50)),
    p99: value,
    ratios: { 'its p99 when idle': ratio },
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

async function during(url: string, token: string, body: string, work: () => Promise<Waits>): Promise<Waits> {
  const file = join(newDirectory(), 'body')
  writeFileSync(file, body)
  const sender: ChildProcess = spawn(
    process.execPath,
    ['--import', 'tsx', script, url, token, file, String(5 * seconds)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(sender.stdout!, 'data')
  try {
    return await work()
  } finally {
    sender.kill()
  }
}
