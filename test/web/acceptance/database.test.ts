import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onMariaDb } from '../../backups/on-mariadb.ts'
import { hasMariaDb, MariaDb } from '../../mysql/mariadb.ts'
import { ended } from '../../ssl/authority.ts'
import { executablePath } from '../browser/browser.ts'
import { password, Visitor } from '../visitor.ts'
import { type Reached, startReached } from './reached.ts'
import { max, Scripted, Scriptless, type Walker, walk } from './walk.ts'

describe.skipIf(!hasMariaDb)('restore of one database from a backup', { timeout: 60_000 }, () => {
  let server: MariaDb
  let reached: Reached
  let backup: string

  beforeAll(async () => {
    server = await MariaDb.start()
    reached = await startReached({ driver: onMariaDb(server) })
    const { panel } = reached
    const { id } = await panel.account('alice', { password })
    for (const name of ['shop', 'blog']) await panel.post(`/accounts/${id}/mysql/databases`, { name })
    await panel.settle()
    for (const name of ['shop', 'blog']) server.ask(`CREATE TABLE alice_${name}.t (a int)`)
    backup = (await panel.post(`/accounts/${id}/backups`, { parts: ['mysql'] })).body.backup.id
    await ended(panel)
  }, 60_000)
  afterAll(async () => {
    await reached?.end()
    await server?.stop()
  })

  async function restore(walker: Walker): Promise<void> {
    for (const name of ['shop', 'blog']) server.ask(`DROP TABLE alice_${name}.t`)
    const loads = await walk(walker, '/user/', [
      { go: '/user/backups' },
      { go: `/user/backups/${backup}/restore` },
      { send: 'restoreBackup', typed: { databases: 'alice_shop' } },
    ])
    expect(loads).toBeLessThanOrEqual(max)
    expect(await ended(reached.panel)).toEqual({ events: ['job.completed'], jobs: ['backup.restore succeeded'] })
    const tables = server.ask("SELECT table_schema FROM information_schema.tables WHERE table_name = 't'")
    expect(tables.trim()).toBe('alice_shop')
    server.ask('CREATE TABLE alice_blog.t (a int)')
  }

  test('restores a database in at most three pages without a script', async () => {
    await restore(new Scriptless(await new Visitor(reached.panel).signIn('alice')))
  })

  test.skipIf(!executablePath)('restores a database in at most three pages in a real browser', async () => {
    const { page, close, complaints } = await reached.open('alice')
    await restore(new Scripted(page))
    expect(complaints).toEqual([])
    await close()
  })
})
