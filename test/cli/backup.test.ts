import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, test } from 'vitest'
import { finishSwap } from '../../src/store/swap.ts'
import { openStore } from '../stored.ts'
import { ended, ensureServerBuilt, panel, start } from './run.ts'
import { ask, scratchFolder, startServer } from './server.ts'

beforeAll(ensureServerBuilt)

/** A number of MiB of rows, so that a copy takes a while. */
function fill(dataDir: string, mebibytes: number): void {
  const { sqlite, close } = openStore(join(dataDir, 'panel.db'))
  sqlite.pragma('query_only = OFF')
  sqlite.pragma('synchronous = OFF')
  const columns = "'x', 'root', 'x', 'x', 'cli', 'x'"
  const add = sqlite.prepare(
    `INSERT INTO audit (id, at, operation, actor_type, actor_id, actor_name, via, request_id, before)
     VALUES ('fill-' || ?, 0, ${columns}, ?)`,
  )
  const text = 'x'.repeat(8000)
  sqlite.transaction(() => {
    for (let row = 0; row < mebibytes * 128; row++) add.run(row, text)
  })()
  close()
}

interface Load {
  /** When the creation of each user name was acknowledged. */
  readonly acknowledged: Map<string, number>
  end(): Promise<void>
}

/** Creates packages and reads as fast as responses arrive. */
function load(socket: string): Load {
  let over = false
  let made = 0
  const acknowledged = new Map<string, number>()
  const create = async (): Promise<void> => {
    while (!over) {
      const name = `package-${made++}`
      const { status } = await ask(socket, 'POST', '/api/v1/packages', { name })
      if (status === 201) acknowledged.set(name, Date.now())
    }
  }
  const state: Load = { acknowledged, end }
  const read = async (): Promise<void> => {
    while (!over) {
      await ask(socket, 'GET', '/healthz')
    }
  }
  const all = [create(), create(), create(), read()]
  async function end(): Promise<void> {
    over = true
    await Promise.all(all)
  }
  return state
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('a backup under load restores elsewhere with everything acknowledged before it', {
  timeout: 60_000,
}, async () => {
  const [current, there, folder] = [scratchFolder(), scratchFolder(), scratchFolder()]
  const file = join(folder, 'panel.backup')
  fill(current, 64)
  const server = await startServer(current)
  const busy = load(server.socket)
  await pause(500)
  const made = await panel(['backup', file, '--data-dir', current, '--output', 'json'])
  expect(made.code, made.stderr).toBe(0)
  await busy.end()
  const { made_at, keys } = JSON.parse(made.stdout)
  const before = [...busy.acknowledged].filter(([, at]) => at < made_at).map(([name]) => name)
  expect(keys).toBe(false)
  expect(made.stderr).toContain('--with-keys')
  expect(before.length).toBeGreaterThan(0)
  expect(busy.acknowledged.size).toBeGreaterThan(before.length)

  const restored = await panel(['restore', file, '--data-dir', there])
  expect(restored.code, restored.stderr).toBe(0)
  const again = await startServer(there)
  const names = new Set<string>()
  for (let page = 1; ; page++) {
    const { items } = (await ask(again.socket, 'GET', `/api/v1/packages?per_page=500&page=${page}`)).body
    for (const item of items) names.add(item.name)
    if (items.length < 500) break
  }
  expect(before.filter((name) => !names.has(name))).toEqual([])
  // What the server does after the restore has higher ones.
  const { items } = (await ask(again.socket, 'GET', '/api/v1/events?limit=500')).body
  const seqs = items.map((item: { seq: number }) => item.seq).filter((seq: number) => seq < 1_000_000)
  expect(seqs).toEqual(seqs.map((_: unknown, at: number) => at + 1))
})

test('a backup that is killed leaves the previous one', { timeout: 60_000 }, async () => {
  const [dataDir, folder] = [scratchFolder(), scratchFolder()]
  const file = join(folder, 'panel.backup')
  fill(dataDir, 1)
  expect((await panel(['backup', file, '--data-dir', dataDir])).code).toBe(0)
  const former = readFileSync(file)
  addBallast(dataDir)
  const child = start(['backup', file, '--data-dir', dataDir])
  const result = ended(child)
  while (child.exitCode === null && !readdirSync(folder).some((name) => name.includes('.part-'))) await pause(1)
  child.kill('SIGKILL')
  await result
  expect(readdirSync(folder)).toHaveLength(2)
  expect(readFileSync(file).equals(former)).toBe(true)
  expect((await panel(['backup', file, '--data-dir', dataDir])).code).toBe(0)
  expect(readdirSync(folder)).toEqual(['panel.backup'])
})

function addBallast(dataDir: string): void {
  const sqlite = new Database(join(dataDir, 'panel.db'))
  sqlite.pragma('synchronous = OFF')
  sqlite.exec('CREATE TABLE ballast (text TEXT)')
  const add = sqlite.prepare('INSERT INTO ballast VALUES (?)')
  sqlite.transaction(() => {
    for (let row = 0; row < 4000; row++) add.run('x'.repeat(8000))
  })()
  sqlite.close()
}

/** Whose store and key a data directory has, once the next process has opened it. */
function contents(dataDir: string): string {
  finishSwap(dataDir)
  const sqlite = new Database(join(dataDir, 'panel.db'), { readonly: true })
  const rows = sqlite.prepare('SELECT count(*) FROM audit').pluck().get()
  sqlite.close()
  return `${rows} rows, key ${readFileSync(join(dataDir, 'secret.key')).length}`
}

test('a restore that is killed leaves the old state or the new one, never a mixture', {
  timeout: 120_000,
}, async () => {
  const [from, folder] = [scratchFolder(), scratchFolder()]
  const file = join(folder, 'panel.backup')
  fill(from, 8)
  // Its start prints a link for root, which is in the audit trail.
  await (await startServer(from)).stop()
  expect((await panel(['backup', file, '--with-keys', '--data-dir', from])).code).toBe(0)
  const seen = new Set<string>()
  for (let round = 0; round < 12; round++) {
    const target = scratchFolder()
    fill(target, 1)
    writeFileSync(join(target, 'secret.key'), 'other')
    const child = start(['restore', file, '--yes', '--data-dir', target])
    const result = ended(child)
    const goal = ['restore.new', '.ready', 'before-restore-'][round % 3] ?? ''
    while (child.exitCode === null && !readdirSync(target).some((name) => name.includes(goal))) await pause(1)
    await pause(round % 4)
    child.kill('SIGKILL')
    await result
    seen.add(contents(target))
  }
  expect([...seen].sort()).toEqual(['1025 rows, key 32', '128 rows, key 5'])
})

test('restoring a backup without keys says what is missing', async () => {
  const [current, there, folder] = [scratchFolder(), scratchFolder(), scratchFolder()]
  const file = join(folder, 'panel.backup')
  await (await startServer(current)).stop()
  expect((await panel(['backup', file, '--data-dir', current])).stderr).toContain(
    `keep a copy of ${current}/secret.key`,
  )
  const missing = await panel(['restore', file, '--data-dir', there])
  expect([missing.code, missing.stdout]).toEqual([0, `${there}\n`])
  expect(missing.stderr).toMatch(/has no keys, and there is none in \S+: put the secret\.key of \S+ into/)
  writeFileSync(join(there, 'secret.key'), Buffer.alloc(32, 1), { mode: 0o600 })
  const other = await panel(['restore', file, '--yes', '--data-dir', there])
  expect(other.stderr).toContain('is a different one: put the secret.key of')
  writeFileSync(join(there, 'secret.key'), readFileSync(join(current, 'secret.key')))
  const present = await panel(['restore', file, '--yes', '--data-dir', there, '--output', 'json'])
  expect(JSON.parse(present.stdout)).toMatchObject({ key: 'present', archive: { keys: false } })
})

test('a new secret.key is created only while no server runs', async () => {
  const dataDir = scratchFolder()
  const server = await startServer(dataDir)
  const made = await ask(server.socket, 'POST', '/api/v1/webhooks', { url: 'https://hooks.example/a' })
  expect(made.status).toBe(201)
  const former = readFileSync(join(dataDir, 'secret.key'))
  const refused = await panel(['secret', 'rotate', '--data-dir', dataDir])
  expect([refused.code, refused.stdout]).toEqual([5, ''])
  expect(refused.stderr).toContain('systemctl stop panel')
  expect(readFileSync(join(dataDir, 'secret.key')).equals(former)).toBe(true)
  await server.stop()
  const done = await panel(['secret', 'rotate', '--data-dir', dataDir])
  expect([done.code, done.stdout]).toEqual([0, `${join(dataDir, 'secret.key')}\n`])
  expect(done.stderr).toContain('values encrypted with the new key: 1')
  expect(readFileSync(join(dataDir, 'secret.key')).equals(former)).toBe(false)
  await startServer(dataDir)
})

test.each(['create', 'list', 'restore'])('panel backup %s writes no file of that name', async (word) => {
  const { code, stdout, stderr } = await panel(['backup', word, '--data-dir', scratchFolder()])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe(
    `error: ${word} is not the name of a file to write\nhint: backups of accounts: panel backups --help; for a file of this name: panel backup ./${word}\n`,
  )
})
