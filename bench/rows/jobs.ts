import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurn, ratioOf } from '../compare.ts'
import { median, rounded } from '../figures.ts'
import { ask, newDirectory } from '../panel.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const jobs = 200
const flushes = 200

/** Accounts made on the host, each with all its files, beside how often the same disk flushes one small file. */
export async function measure({ middle }: World) {
  const store = copyOf(middle)
  let next = 0
  const taken = await inTurn({
    panel: () => withPanel(store, () => run(store.directory, () => `j${String(++next).padStart(7, '0')}`)),
    disk: async () => flush(join(newDirectory(), 'file')),
  })
  const value = rounded(median(taken['panel']!))
  const ratios = { 'fsyncs of one file/s': ratioOf(taken['panel']!, taken['disk']!) }
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

function flush(file: string): number {
  const handle = openSync(file, 'w')
  const began = performance.now()
  for (let time = 0; time < flushes; time++) {
    writeSync(handle, 'x'.repeat(1000), 0)
    fsyncSync(handle)
  }
  closeSync(handle)
  return flushes / ((performance.now() - began) / 1000)
}
