import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurn, ratioOf } from '../compare.ts'
import { median, rounded } from '../figures.ts'
import { ask, newDirectory } from '../panel.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const jobs = 200

/** Accounts made on the host, each with all its files, beside the same files written and flushed by themselves. */
export async function measure({ middle }: World) {
  const store = copyOf(middle)
  let next = 0
  const name = () => `j${String(++next).padStart(7, '0')}`
  const taken = await inTurn({
    panel: () => withPanel(store, () => run(store.directory, name)),
    files: async () => next / write(join(store.directory, 'host'), newDirectory()),
  })
  const value = rounded(median(taken['panel']!))
  const ratios = { 'node:fs, the same files': ratioOf(taken['panel']!, taken['files']!) }
  return [{ what: 'accounts made on the host', value, unit: 'jobs/s', ratios }]
}

async function run(directory: string, name: () => string): Promise<number> {
  const began = performance.now()
  const creating = Array.from({ length: jobs }, () => {
    const username = name()
    return ask(directory, 'POST', '/accounts', { username, domain: `${username}.example` })
  })
  await Promise.all(creating)
  for (const status of ['queued', 'leased', 'running'])
    while ((await ask(directory, 'GET', `/jobs?status=${status}&per_page=1`)).total > 0) await sleep(20)
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
