import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurn, ratioOf } from '../compare.ts'
import { median, percentile, rounded } from '../figures.ts'
import { flushTime } from '../fsync.ts'
import { ask, newDirectory } from '../panel.ts'
import type { Row } from '../row.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const jobs = 200

/** Accounts made on the host, each with all its files, beside the same files written and flushed by themselves. */
export async function measure({ middle }: World): Promise<Row[]> {
  const store = copyOf(middle)
  let next = 0
  const name = () => `j${String(++next).padStart(7, '0')}`
  const taken = await inTurn({
    panel: () => withPanel(store, () => run(store.directory, name)),
    files: async () => next / write(join(store.directory, 'host'), newDirectory()),
  })
  const value = rounded(median(taken['panel']!))
  const ratios = { 'node:fs, the same files': ratioOf(taken['panel']!, taken['files']!) }
  const made = { what: 'accounts made on the host', value, unit: 'jobs/s', ratios }
  return [made, await withPanel(store, () => beside(store.directory, name))]
}

const perSecond = 100

/** Creates at a steady rate, while the host has more to make than it can. */
async function beside(directory: string, name: () => string): Promise<Row> {
  const create = () => {
    const username = name()
    return ask(directory, 'POST', '/accounts', { username, domain: `${username}.example` })
  }
  await Promise.all(Array.from({ length: 2 * jobs }, create))
  const began = performance.now()
  const times: Promise<number>[] = []
  for (let sent = 0; sent < jobs; sent++) {
    const before = performance.now()
    times.push(create().then(() => performance.now() - before))
    await sleep(began + ((sent + 1) * 1000) / perSecond - performance.now())
  }
  const taken = await Promise.all(times)
  const [p50, p99] = [percentile(taken, 0.5), percentile(taken, 0.99)].map(rounded) as [number, number]
  const ratios = { 'one fsync': rounded(p50 / flushTime()) }
  return { what: 'create an account, 100 a second while the host is busy', value: p50, unit: 'ms', p50, p99, ratios }
}

async function run(directory: string, name: () => string): Promise<number> {
  const began = performance.now()
  const creating = Array.from({ length: jobs }, () => {
    const username = name()
    return ask(directory, 'POST', '/accounts', { username, domain: `${username}.example` })
  })
  await Promise.all(creating)
  for (const status of ['queued', 'leased', 'running'])
    while ((await ask(directory, 'GET', `/jobs?kind=account.create&status=${status}&per_page=1`)).total > 0)
      await sleep(20)
  return jobs / ((performance.now() - began) / 1000)
}

/** Writes a tree once more, each file flushed and renamed into its place; answers the seconds that took. */
function write(from: string, to: string): number {
  const entries = readdirSync(from, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const contents = files.map((file) => ({ file: join(to, relative(from, file)), content: readFileSync(file) }))
  const began = performance.now()
  for (const { file, content } of contents) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.new`, content, { flush: true })
    renameSync(`${file}.new`, file)
  }
  return (performance.now() - began) / 1000
}
