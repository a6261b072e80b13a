import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Recorded, Script } from './baseline/bare.ts'
import { bin, newDirectory, startPanel } from './panel.ts'
import { type Seeded, seed } from './seed.ts'
import { type Server, startServer } from './server.ts'

/** The stores that are measured. */
export interface World {
  /** 1,000 accounts and events. */
  readonly small: Seeded
  /** 10,000 of each. */
  readonly middle: Seeded
  /** 100,000 accounts and 1,000,000 events. */
  readonly big: Seeded
}

export async function makeWorld(): Promise<World> {
  return { small: await seed(1_000, 1_000), middle: await seed(10_000, 10_000), big: await seed(100_000, 1_000_000) }
}

/** The same store in a directory of its own, to be written to. */
export function copyOf(seeded: Seeded): Seeded {
  const directory = newDirectory()
  execFileSync(process.execPath, [bin, 'restore', seeded.directory, '--data-dir', directory, '--quiet'])
  skipSweep(join(directory, 'panel.db'))
  return { ...seeded, directory }
}

/** After a restore all accounts are applied to the host again, which is not what is measured. */
function skipSweep(file: string): void {
  const store = new Database(file)
  store.exec(
    "INSERT OR REPLACE INTO settings (name, value) SELECT 'swept_epoch', value FROM settings WHERE name = 'epoch'",
  )
  store.close()
}

/** The panel on a store for as long as the work takes. */
export async function withPanel<T>(
  { directory }: Seeded,
  work: (panel: Server) => Promise<T>,
  options: { tls?: boolean } = {},
): Promise<T> {
  return serving(await startPanel(directory, options), work)
}

const baseline = (name: string) => new URL(`./baseline/${name}.ts`, import.meta.url).pathname

/** fastify on a store for as long as the work takes. */
export async function withFastify<T>({ directory }: Seeded, work: (server: Server) => Promise<T>): Promise<T> {
  return serving(await startServer(['--import', 'tsx', baseline('fastify'), directory]), work)
}

/** Node's own server, saying what was taken down, for as long as the work takes. */
export async function withBare<T>(script: Script, work: (server: Server) => Promise<T>): Promise<T> {
  const file = join(newDirectory(), 'script.json')
  writeFileSync(file, JSON.stringify(script))
  return serving(await startServer(['--import', 'tsx', baseline('bare'), file]), work)
}

async function serving<T>(server: Server, work: (server: Server) => Promise<T>): Promise<T> {
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

const ofTheConnection = ['connection', 'date', 'keep-alive', 'transfer-encoding']

/** Asks once, and takes the answer down. */
export async function record(url: string, init: RequestInit): Promise<Recorded> {
  const answer = await fetch(url, init)
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !ofTheConnection.includes(name)))
  return { status: answer.status, headers, body: await answer.text() }
}
