import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { made as make } from '../fixtures/index.ts'
import type { Json } from '../harness.ts'
import { hasMariaDb, MariaDb } from '../mysql/mariadb.ts'
import { events, filesBelow, received, withHome } from './fixtures.ts'
import { onMariaDb } from './on-mariadb.ts'

const password = 'canary-Sandpiper-6631'
const restored = { events: ['job.completed'], jobs: ['backup.restore succeeded'] }
const failed = { events: ['job.failed'], jobs: ['backup.restore failed'] }

describe.skipIf(!hasMariaDb)('databases in backups', { timeout: 60_000 }, () => {
  let server: MariaDb
  beforeAll(async () => {
    server = await MariaDb.start()
  }, 60_000)
  afterAll(() => server?.stop())

  /** What a fault does the next time its point is reached. */
  const atFailPoint = new Map<string, () => void>()
  const reached = (point: string) => {
    const act = atFailPoint.get(point)
    atFailPoint.delete(point)
    act?.()
  }

  /** An account with two databases, and a user with all privileges on both. */
  async function withRows() {
    const input = await withHome({ driver: onMariaDb(server, reached) })
    const { panel, alice } = input
    const base = `/accounts/${alice.id}`
    const { user } = await make(panel, `${base}/mysql/users`, { name: 'app', password })
    for (const name of ['shop', 'blog']) {
      const { database } = await make(panel, `${base}/mysql/databases`, { name })
      await panel.put(`${base}/mysql/databases/${database.id}/users/${user.id}`, { privileges: ['ALL'] })
    }
    await panel.settle()
    const as = (statements: string, name = 'alice_app') =>
      server.run(statements, [`--user=${name}`, `--password=${password}`])
    as('CREATE TABLE alice_shop.t (a int); INSERT INTO alice_shop.t VALUES (1); CREATE TABLE alice_blog.t (a int);')
    as(
      'USE alice_shop; CREATE FUNCTION f() RETURNS text DETERMINISTIC RETURN CURRENT_USER(); CREATE VIEW v AS SELECT a FROM t;',
    )
    panel.forget()
    const end = async () => {
      await panel.delete(`${base}?confirm=alice`)
      await panel.settle()
      panel.forget()
    }
    return { ...input, base, as, end }
  }

  test('dumps each database into a file with a checksum, which can be downloaded', async () => {
    const { folder, made, path, panel, end } = await withRows()
    const backup = await made()
    const { id, parts, status } = backup
    expect(status).toBe('complete')
    expect(parts.find(({ part }: Json) => part === 'mysql')).toEqual({
      part: 'mysql',
      status: 'ok',
      files: 2,
      bytes: expect.any(Number),
    })
    const names = filesBelow(join(folder, id)).filter((name) => name.startsWith('db/'))
    expect(names).toEqual(['db/alice_blog.sql.zst', 'db/alice_shop.sql.zst'])
    const text = execFileSync('zstd', ['-dc', join(folder, id, names[1]!)], { encoding: 'utf8' })
    expect(text).toContain('sandbox mode')
    expect(text).toMatch(/INSERT INTO `t` VALUES\s*\(1\)/)
    expect(text).not.toMatch(/^(?:USE|CREATE DATABASE)/m)
    const { entries } = JSON.parse(readFileSync(join(folder, id, 'manifest.json'), 'utf8'))
    const { definers } = entries.find(({ name }: Json) => name === names[1])
    expect(definers.map(({ kind, user }: Json) => `${kind} ${user}`)).toEqual(['VIEW alice_app', 'FUNCTION alice_app'])
    const { status: answer, headers } = await panel.get(`${path}/${id}/download?part=mysql`)
    expect([answer, headers.get('content-disposition')]).toEqual([200, expect.stringContaining('mysql.tar')])
    await end()
  })

  test('restores databases with their rows, and keeps newer rows only in the safety backup', async () => {
    const { panel, path, made, as, end, folder } = await withRows()
    const { id } = await made({ parts: ['mysql'] })
    as('UPDATE alice_shop.t SET a = 2; CREATE TABLE alice_shop.since (a int); DROP VIEW alice_shop.v;')
    panel.forget()
    await panel.post(`${path}/${id}/restore`, { parts: ['mysql'] })
    expect(await events(panel)).toEqual(restored)
    expect(as('USE alice_shop; SELECT a FROM v; SELECT f(); SHOW TABLES').stdout).toBe('1\nalice_app@localhost\nt\nv\n')
    const [, safety] = (await panel.get(path)).body.items
    const dump = join(folder, safety.id, 'db/alice_shop.sql.zst')
    expect(execFileSync('zstd', ['-dc', dump], { encoding: 'utf8' })).toContain('`since`')
    expect(existsSync(join(panel.dir, 'host/var/lib/panel-host/restores', path.split('/')[2]!))).toBe(false)
    await end()
  })

  test('creates deleted databases again, and restores the grants of one with the part config', async () => {
    const { panel, path, base, made, as, end } = await withRows()
    const { id } = await made({ parts: ['mysql', 'config'] })
    const { items } = (await panel.get(`${base}/mysql/databases`)).body
    for (const { id: one, name } of items) await panel.delete(`${base}/mysql/databases/${one}?confirm=${name}`)
    await panel.settle()
    panel.forget()
    await panel.post(`${path}/${id}/restore`, { safety: false })
    expect(await events(panel)).toEqual(restored)
    expect(as('SELECT a FROM alice_shop.t').stdout).toBe('1\n')
    await end()
  })

  test('restores existing databases but no deleted ones if the feature is off', async () => {
    const { panel, alice, path, base, made, as, end } = await withRows()
    const { id } = await made({ parts: ['mysql', 'config'] })
    const { items } = (await panel.get(`${base}/mysql/databases`)).body
    const blog = items.find(({ name }: Json) => name === 'alice_blog')
    await panel.delete(`${base}/mysql/databases/${blog.id}?confirm=alice_blog`)
    as('UPDATE alice_shop.t SET a = 2')
    await panel.settle()
    await panel.patch(`/feature-lists/${alice.feature_list_id}`, { features: { mysql: false } })
    panel.forget()
    const { job_id } = (await panel.post(`${path}/${id}/restore`, { parts: ['mysql'], safety: false })).body
    expect(await events(panel)).toEqual(restored)
    expect(as('SELECT a FROM alice_shop.t').stdout).toBe('1\n')
    expect(server.ask("SHOW DATABASES LIKE 'alice_blog'")).toBe('')
    const { log } = (await panel.get(`/jobs/${job_id}`)).body
    expect(log.filter(({ level }: Json) => level === 'warn').map(({ message }: Json) => message)).toEqual([
      'alice_blog: not restored, since the feature mysql is turned off for this account',
    ])
    await end()
  })

  test('restores databases to a new account with its prefix and the old passwords', async () => {
    const { panel, made, as, end } = await withRows()
    const { id } = await made()
    await end()
    expect(server.ask("SHOW DATABASES LIKE 'alice%'")).toBe('')
    await panel.post(`/backups/${id}/restore`, { username: 'anna', domain: 'anna.example' })
    expect(await events(panel)).toEqual({
      events: ['account.created', 'job.completed', 'job.completed'],
      jobs: ['account.create succeeded', 'backup.restore succeeded'],
    })
    expect(as('USE anna_shop; SELECT a FROM v; SELECT f()', 'anna_app').stdout).toBe('1\nanna_app@localhost\n')
    const [account] = (await panel.get('/accounts?q=anna')).body.items
    await panel.delete(`/accounts/${account.id}?confirm=anna`)
    await panel.settle()
  })

  test('restores a single database by name, and leaves the others as they are', async () => {
    const { panel, path, made, as, end } = await withRows()
    const { id } = await made({ parts: ['mysql', 'files'] })
    as('UPDATE alice_shop.t SET a = 2; INSERT INTO alice_blog.t VALUES (9);')
    panel.forget()
    const restore = (body: object) => panel.post(`${path}/${id}/restore`, { safety: false, ...body })
    const refused = [
      await restore({ databases: [] }),
      await restore({ databases: ['mysql'] }),
      await restore({ databases: ['alice_shop'], parts: ['files'] }),
      await restore({ databases: ['alice_shop'], paths: ['sites'] }),
    ]
    expect(refused.map(received)).toEqual([
      '400 validation databases',
      '400 validation databases',
      '400 validation databases',
      '400 validation paths',
    ])
    await restore({ databases: ['alice_other'] })
    expect(await events(panel)).toEqual(failed)
    await restore({ databases: ['alice_shop'] })
    expect(await events(panel)).toEqual(restored)
    expect(as('SELECT a FROM alice_shop.t; SELECT a FROM alice_blog.t').stdout).toBe('1\n9\n')
    await end()
  })

  test('restores the previous content if a restore fails midway, and names the database in the error', async () => {
    const { panel, path, made, as, end } = await withRows()
    const { id } = await made({ parts: ['mysql'] })
    as('UPDATE alice_shop.t SET a = 2')
    panel.forget()
    atFailPoint.set('restore-copied', () => {
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
    })
    const before = as('SHOW TABLES FROM alice_blog; SELECT a FROM alice_shop.t').stdout
    const { job_id } = (await panel.post(`${path}/${id}/restore`, { safety: false })).body
    await panel.settle()
    expect((await panel.get(`/jobs/${job_id}`)).body.job.status).toBe('queued')
    expect(as('SHOW TABLES FROM alice_blog; SELECT a FROM alice_shop.t').stdout).toBe(before)
    await panel.clock.advance(20_000)
    expect(await events(panel)).toEqual(restored)
    expect(as('SELECT a FROM alice_shop.t').stdout).toBe('1\n')
    await end()
  })

  test('refuses to restore databases from a dump that was tampered with', async () => {
    const { panel, path, folder, made, as, end } = await withRows()
    const { id } = await made({ parts: ['mysql'] })
    writeFileSync(join(folder, id, 'db/alice_shop.sql.zst'), 'DROP DATABASE alice_shop;')
    panel.forget()
    await panel.post(`${path}/${id}/restore`)
    expect(await events(panel)).toEqual(failed)
    expect(as('SELECT a FROM alice_shop.t').stdout).toBe('1\n')
    await end()
  })

  test('marks the backup incomplete if the server lacks a database, but saves the other parts', async () => {
    const { panel, folder, path, end } = await withRows()
    server.ask('DROP DATABASE alice_shop')
    const { body } = await panel.post(path, {})
    expect(await events(panel)).toEqual({ events: ['backup.started', 'job.failed'], jobs: ['backup.account failed'] })
    const { status, parts } = (await panel.get(`${path}/${body.backup.id}`)).body
    expect([status, parts.find(({ part }: Json) => part === 'mysql').error]).toEqual([
      'incomplete',
      expect.stringMatching(/^alice_shop: .*Unknown database/s),
    ])
    expect(readdirSync(join(folder, body.backup.id))).not.toContain('db')
    expect(received(await panel.post(`${path}/${body.backup.id}/restore`, { parts: ['mysql'] }))).toBe('409 incomplete')
    await end()
  })
})
