import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurn, ratioOf } from '../compare.ts'
import { median, percentile, rounded } from '../figures.ts'
import { multiply } from '../multiply.ts'
import { ask, newDirectory, startPanel } from '../panel.ts'
import type { Row } from '../row.ts'

const perAccount = 10
const accounts = 1_000
const times = 30
const username = 'd0000000'

/** A domain added to an account with ten, on a server with nothing else and on one with 10,000 domains. */
export async function measure(): Promise<Row[]> {
  const [few, many] = [await oneAccount(), await oneAccount()]
  multiply(
    many,
    Array.from({ length: accounts - 1 }, (_, n) => `d${String(n + 1).padStart(7, '0')}`),
  )
  const servers = [await startPanel(few), await startPanel(many)]
  try {
    return [await compare(few, many)]
  } finally {
    for (const server of servers) await server.stop()
  }
}

async function compare(few: string, many: string): Promise<Row> {
  await rest(many)
  const before = othersOf(many)
  const taken = await inTurn({ many: await adding(many), few: await adding(few) }, times)
  refuseTouched(before, othersOf(many))
  const [p50, p99] = [median(taken['many']!), percentile(taken['many']!, 0.99)].map(rounded) as [number, number]
  const ratios = { 'a server with 10': ratioOf(taken['many']!, taken['few']!) }
  const what = 'a domain added on a server with 10,000, until the host has it'
  return { what, value: p50, unit: 'ms', p50, p99, ratios }
}

async function oneAccount(): Promise<string> {
  const directory = newDirectory()
  const server = await startPanel(directory)
  const { account } = await ask(directory, 'POST', '/accounts', { username, domain: `${username}.example` })
  for (let n = 1; n < perAccount; n++)
    await ask(directory, 'POST', `/accounts/${account.id}/domains`, { name: `${username}-${n}.example` })
  await rest(directory)
  await server.stop()
  return directory
}

async function adding(directory: string): Promise<() => Promise<number>> {
  const [{ id }] = (await ask(directory, 'GET', `/accounts?q=${username}`)).items
  let next = perAccount
  return async () => {
    const name = `${username}-${next++}.example`
    const began = performance.now()
    const { job_id } = await ask(directory, 'POST', `/accounts/${id}/domains`, { name })
    while (!(await hasSucceeded(directory, job_id))) await sleep(2)
    return performance.now() - began
  }
}

async function hasSucceeded(directory: string, id: string): Promise<boolean> {
  const { status } = (await ask(directory, 'GET', `/jobs/${id}`)).job
  if (status === 'failed') throw new Error(`job ${id} failed`)
  return status === 'succeeded'
}

async function rest(directory: string): Promise<void> {
  for (const status of ['queued', 'leased', 'running'])
    while ((await ask(directory, 'GET', `/jobs?status=${status}&per_page=1`)).total > 0) await sleep(20)
}

/** The files of the other accounts on the host, each with what shows that it was written. */
function othersOf(directory: string): ReadonlyMap<string, string> {
  const entries = readdirSync(join(directory, 'host'), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const others = paths.filter((path) => /d\d{7}/.test(path) && !path.includes(username))
  return new Map(others.map((path) => [path, writtenAt(path)]))
}

function writtenAt(path: string): string {
  const { ino, mtimeNs } = statSync(path, { bigint: true })
  return `${ino} ${mtimeNs}`
}

function refuseTouched(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): void {
  const zones = [...before.keys()].filter((path) => path.endsWith('.zone')).length
  if (zones !== (accounts - 1) * perAccount) throw new Error(`the host has ${zones} zones of other accounts`)
  const touched = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  )
  if (touched.length > 0)
    throw new Error(`${touched.length} files of other accounts were touched, such as ${touched[0]}`)
}
