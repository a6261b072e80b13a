import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { epochOf } from '../../src/runtime/settings/settings.ts'
import { backUp, restore } from '../../src/server/upkeep.ts'
import { startPanel } from '../harness.ts'
import { begin, place, startServer } from '../serve/server.ts'
import { openStore } from '../stored.ts'

const current = { host: 'host.example', version: '0.1.0' }
const yes = async (): Promise<void> => {}

/** A directory whose server created a package for each name, and stopped. */
async function served(dir: string, ...names: string[]): Promise<string> {
  const server = await startServer(dir, { noTls: true })
  for (const name of names) expect((await server.send('POST', '/packages', { name })).status).toBe(201)
  expect(await server.kill('SIGTERM')).toBe(0)
  return dir
}

/** Newer Node gives a copied directory the mode left by the umask. */
function copyDirectory(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  chmodSync(to, 0o700)
}

async function expectRefused(dir: string): Promise<void> {
  const before = readFileSync(join(dir, 'panel.db'))
  const server = await begin(dir, { noTls: true })
  expect(await server.exit).toBe(1)
  expect(server.err).toContain(`The store in ${dir} is a copy.`)
  expect(server.err).toContain(`panel takeover ${dir} --data-dir ${dir}`)
  expect(readFileSync(join(dir, 'panel.db')).equals(before)).toBe(true)
}

interface State {
  readonly epoch: number
  readonly seq: number
  readonly packages: number
}

function stateOf(dir: string): State {
  const store = openStore(join(dir, 'panel.db'))
  const one = (query: string) => store.sqlite.prepare(query).pluck().get() as number
  const state = {
    epoch: epochOf(store.db),
    seq: one("SELECT seq FROM sqlite_sequence WHERE name = 'events'"),
    packages: one('SELECT count(*) FROM packages'),
  }
  store.close()
  return state
}

describe('a server', () => {
  test('restarts on its own store, also after a kill', async () => {
    const dir = await served(place(), 'one')
    const server = await startServer(dir, { noTls: true })
    expect(await server.kill('SIGKILL')).toBe('SIGKILL')
    await served(dir, 'two')
    expect(stateOf(dir)).toMatchObject({ epoch: 1, packages: 3 })
  })

  test('starts on a directory that was moved', async () => {
    const dir = await served(place(), 'one')
    const moved = join(place(), 'moved')
    renameSync(dir, moved)
    await served(moved, 'two')
    expect(stateOf(moved)).toMatchObject({ epoch: 1, packages: 3 })
    mkdirSync(dir)
  })

  test('refuses a copied store, which backup and doctor can read', async () => {
    const dir = await served(place(), 'one')
    const copy = place()
    copyFileSync(join(dir, 'panel.db'), join(copy, 'panel.db'))
    await expectRefused(copy)
    const archive = await backUp({ dataDir: copy, file: join(copy, 'x.backup'), withKeys: false, ...current })
    expect(archive.counts).toMatchObject({ accounts: 0 })
  })

  test('refuses a copy of the whole directory', async () => {
    const dir = await served(place(), 'one')
    const copy = join(place(), 'copy')
    copyDirectory(dir, copy)
    await expectRefused(copy)
    await served(dir, 'two')
  })

  test('refuses an older state of its own store', async () => {
    const dir = await served(place(), 'one')
    copyFileSync(join(dir, 'panel.db'), join(dir, 'old.db'))
    await served(dir, 'two')
    copyFileSync(join(dir, 'old.db'), join(dir, 'panel.db'))
    await expectRefused(dir)
  })

  test('starts on a store from before incarnations existed, and where only a mark is left', async () => {
    const dir = await served(place(), 'one')
    const store = new Database(join(dir, 'panel.db'))
    store.exec("DELETE FROM settings WHERE name IN ('incarnation', 'epoch')")
    store.close()
    await served(dir, 'two')
    rmSync(join(dir, 'panel.db'))
    await served(dir, 'three')
    expect(stateOf(dir)).toMatchObject({ epoch: 1, packages: 2 })
  })
})

describe('a copy', () => {
  test('becomes a store of its own in place, by a restore', async () => {
    const dir = await served(place(), 'one')
    const copy = join(place(), 'copy')
    copyDirectory(dir, copy)
    const before = stateOf(dir)
    const { key, archive } = await restore({ dataDir: copy, file: copy, ...current }, yes)
    expect([key, archive.file]).toEqual(['present', copy])
    expect(readdirSync(copy).filter((name) => name.startsWith('restore'))).toEqual([])
    expect(stateOf(copy)).toEqual({ epoch: 2, seq: before.seq + 1_000_000, packages: before.packages })
    await served(copy, 'two')
    await served(dir, 'two')
  })

  test('replaces a store elsewhere, with its keys', async () => {
    const dir = await served(place(), 'one')
    const copy = place()
    for (const name of ['panel.db', 'secret.key']) copyFileSync(join(dir, name), join(copy, name))
    const target = await served(place())
    const { key, kept: stored } = await restore({ dataDir: target, file: copy, ...current }, yes)
    expect([key, existsSync(stored!)]).toEqual(['restored', true])
    expect(readFileSync(join(target, 'secret.key')).equals(readFileSync(join(dir, 'secret.key')))).toBe(true)
    expect(stateOf(target)).toMatchObject({ epoch: 2, packages: 2 })
    await served(target, 'two')
  })
})

test('each restore of one backup is a life of its own, and assigns other numbers', async () => {
  const dir = await served(place(), 'one')
  const file = join(dir, 'x.backup')
  await backUp({ dataDir: dir, file, withKeys: false, ...current })
  const before = stateOf(dir)
  for (const restores of [1, 2, 3]) {
    await restore({ dataDir: dir, file, ...current }, yes)
    expect(stateOf(dir)).toEqual({
      epoch: 1 + restores,
      seq: before.seq + restores * 1_000_000,
      packages: before.packages,
    })
    await served(dir, 'lost')
  }
})

test('a restore over a damaged store still counts on from its epoch', async () => {
  const dir = await served(place(), 'one')
  const file = join(dir, 'x.backup')
  await backUp({ dataDir: dir, file, withKeys: false, ...current })
  await restore({ dataDir: dir, file, ...current }, yes)
  rmSync(join(dir, 'panel.db'))
  await restore({ dataDir: dir, file, ...current }, yes)
  expect(stateOf(dir).epoch).toBe(3)
})

test('a panel that was never restored has the epoch 1', async () => {
  const panel = await startPanel()
  expect(epochOf(panel.store.db)).toBe(1)
})
