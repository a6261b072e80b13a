import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { copyFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { configOf } from '../../../src/cli/commands/replica/config.ts'
import { destinationOf } from '../../../src/cli/commands/replica/destination.ts'
import { progressOf, replicaFile, replicaOf } from '../../../src/shared/replica.ts'
import { litestream } from '../../../test/litestream.ts'
import { ask, bin, newDirectory, startPanel } from '../../panel.ts'
import { seed } from '../../seed.ts'
import { say } from '../figures.ts'
import type { Sizes } from '../sizes.ts'
import { until } from '../world.ts'

const gigabyte = 2 ** 30
const accounts = 10_000
const events = 500_000
const port = 17_713
/** What may be missing. */
const max = 1_500
const load = 20_000

/** The server, its replicator and their disk are lost under load, and another machine takes over. */
export async function measure({ store }: Sizes): Promise<void> {
  if (litestream === undefined) return console.log('SKIPPED: there is no Litestream for this machine')
  const directory = await grown(store)
  const copy = newDirectory()
  const panel = await startPanel(directory)
  const replicator = replicate(directory, copy)
  await until(() => isCopied(directory), 600_000)
  const { answered, end } = change(directory)
  await new Promise((resolve) => setTimeout(resolve, load))
  const stored = join(newDirectory(), 'secret.key')
  copyFileSync(join(directory, 'secret.key'), stored)
  say('store when it is lost', statSync(join(directory, 'panel.db')).size / gigabyte, 'GB')
  const killed = Date.now()
  replicator.kill('SIGKILL')
  process.kill(panel.pid, 'SIGKILL')
  await end()
  rmSync(directory, { recursive: true, maxRetries: 10 })
  await takenOver({ copy, key: stored, answered, killed })
}

/** A store of that size, mostly of events. */
async function grown(gigabytes: number): Promise<string> {
  const { directory } = await seed(accounts, events)
  const sqlite = new Database(join(directory, 'panel.db'))
  sqlite.pragma('synchronous = OFF')
  sqlite.pragma('journal_mode = OFF')
  const more = sqlite.prepare(`INSERT INTO events (id, type, created_at, account_id, for_account, server, core)
    SELECT printf('01%024d', seq + @last), type, created_at, account_id, for_account, server, core FROM events
    WHERE seq <= ${events}`)
  const size = (): number => sqlite.pragma('page_count', { simple: true }) as number
  const pages = (gigabytes * gigabyte) / (sqlite.pragma('page_size', { simple: true }) as number)
  while (size() < pages) more.run({ last: sqlite.prepare('SELECT max(seq) FROM events').pluck().get() })
  sqlite.close()
  return directory
}

function replicate(dataDir: string, copy: string): ChildProcess {
  const file = replicaFile(dataDir)
  writeFileSync(file, configOf({ dataDir, destination: destinationOf(copy), port, access: {} }))
  const child = spawn(litestream!, ['replicate', '-config', file], { stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

async function isCopied(dataDir: string): Promise<boolean> {
  const progress = await progressOf(replicaOf(dataDir)!)
  return progress !== undefined && progress.copied > 0 && progress.copied >= progress.read
}

/** Changes as fast as they are answered; when each was. */
function change(directory: string) {
  const answered = new Map<string, number>()
  let over = false
  let made = 0
  const hand = async (): Promise<void> => {
    while (!over) {
      const name = `package-${made++}`
      const done = await ask(directory, 'POST', '/packages', { name }).catch(() => undefined)
      if (done) answered.set(name, Date.now())
      else await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const hands = [hand(), hand(), hand()]
  const end = async (): Promise<void> => {
    over = true
    await Promise.all(hands)
  }
  return { answered, end }
}

interface Lost {
  readonly copy: string
  readonly key: string
  readonly answered: ReadonlyMap<string, number>
  readonly killed: number
}

async function takenOver({ copy, key, answered, killed }: Lost): Promise<void> {
  const [folder, dataDir] = [newDirectory(), newDirectory()]
  const file = join(folder, 'panel.db')
  const began = performance.now()
  execFileSync(litestream!, ['restore', '-o', file, `file://${copy}`], { stdio: 'ignore' })
  const restored = performance.now()
  copyFileSync(key, join(folder, 'secret.key'))
  execFileSync(process.execPath, [bin, 'takeover', file, '--move', '--data-dir', dataDir, '--no-start', '--quiet'])
  const taken = performance.now()
  const panel = await startPanel(dataDir)
  await ask(dataDir, 'POST', '/packages', { name: 'after' })
  const serving = performance.now()
  await panel.stop()
  say('brought back by Litestream', (restored - began) / 1000, 's')
  say('takeover', (taken - restored) / 1000, 's')
  say('start, until a change is taken', (serving - taken) / 1000, 's')
  say('serving again after', (serving - began) / 1000, 's', { max: 30 })
  check(join(dataDir, 'panel.db'), answered, killed)
}

function check(file: string, answered: ReadonlyMap<string, number>, killed: number): void {
  const sqlite = new Database(file, { readonly: true })
  const sound = sqlite.pragma('integrity_check', { simple: true })
  const there = new Set(sqlite.prepare('SELECT name FROM packages').pluck().all())
  sqlite.close()
  say('faults in the copy', sound === 'ok' ? 0 : 1, 'faults', { max: 0 })
  const missing = [...answered].filter(([name]) => !there.has(name))
  const oldest = Math.max(0, ...missing.map(([, at]) => killed - at))
  say(`of ${answered.size} changes, missing`, missing.length, 'changes')
  say('the oldest that is missing was made before the end by', oldest / 1000, 's', { max: max / 1000 })
}
