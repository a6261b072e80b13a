import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { turns } from '../clock.ts'
import { measuredBy } from '../drivers.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'

const quarter = 15 * 60_000

/** Copies an account's row several times, with unique names and numbers; the host does not know the copies. */
async function multiply(panel: TestPanel, id: string, count: number): Promise<void> {
  const { sqlite } = panel.store
  const columns = (sqlite.prepare('PRAGMA table_info(accounts)').all() as { name: string }[]).map(({ name }) => name)
  const own: Record<string, string> = {
    id: `'01J' || printf('%023d', n)`,
    username: `'copy' || n`,
    main_domain: `'copy' || n || '.example'`,
    home_dir: `'/home/copy' || n`,
    db_prefix: `'copy' || n || '_'`,
    uid: `30000 + n`,
    applied_username: 'NULL',
  }
  const values = columns.map((name) => own[name] ?? `a.${name}`)
  await panel.store.change(
    () =>
      void sqlite
        .prepare(
          `WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < ${count})
           INSERT INTO accounts (${columns}) SELECT ${values} FROM accounts a, count WHERE a.id = ?`,
        )
        .run(id),
  )
}

const measured = (panel: TestPanel) =>
  panel.store.sqlite
    .prepare('SELECT measured_at AS at, count(*) AS accounts FROM accounts GROUP BY measured_at ORDER BY measured_at')
    .all() as { at: number; accounts: number }[]

test('the tick measures many accounts with pauses, and writes 500 of them in a commit', async () => {
  const calls: number[] = []
  const panel = await startPanel({
    driver: measuredBy(() => async ({ accounts }) => {
      calls.push(accounts.length)
      return accounts.map(({ id }) => ({ id, diskMb: 3, inodes: 7 }))
    }),
  })
  const { id } = await panel.account('alice')
  await multiply(panel, id, 1_119)
  panel.forget()
  calls.length = 0
  const begun = panel.clock.now() + quarter
  await panel.clock.advance(quarter)
  await soon(() => expect(calls).toEqual([50]))
  await turns(100)
  expect(calls).toEqual([50])
  const allMeasured = async () => {
    await panel.clock.advance(25)
    expect(measured(panel).at(0)!.at).toBeGreaterThanOrEqual(begun)
  }
  await soon(allMeasured)
  expect(calls).toEqual([...Array(22).fill(50), 20])
  expect(measured(panel).map(({ accounts }) => accounts)).toEqual([500, 500, 120])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('an account that cannot be measured does not affect others', async () => {
  const panel = await startPanel({
    driver: measuredBy((real) => (accounts, options) => real.usage(accounts, options)),
  })
  const names = ['alice', 'bob', 'carol']
  const ids = await Promise.all(names.map(async (name) => (await panel.account(name)).id))
  await panel.store.change(
    () => void panel.store.sqlite.prepare("UPDATE accounts SET uid = 123456 WHERE username = 'bob'").run(),
  )
  const at = async (id: string) => (await panel.get(`/accounts/${id}/usage`)).body.measured_at
  const before = await at(ids[1]!)
  await panel.clock.advance(quarter)
  await soon(async () => expect(await at(ids[2]!)).toBe(panel.clock.now()))
  expect([await at(ids[0]!), await at(ids[1]!)]).toEqual([panel.clock.now(), before])
  expect(panel.logged.filter((line) => line.includes('could not be measured'))).toEqual([
    expect.stringContaining(`"account":"${ids[1]}","accounts":1`),
  ])
})

test('a running tick ends at once when the server stops', async () => {
  let calls = 0
  const panel = await startPanel({
    driver: measuredBy((real) => async ({ accounts }, options) => {
      calls += 1
      if (accounts.length === 1) return real.usage({ accounts }, options)
      await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve))
      throw new Error('stopped')
    }),
  })
  const { id } = await panel.account('alice')
  await multiply(panel, id, 200)
  calls = 0
  await panel.clock.advance(quarter)
  await soon(() => expect(calls).toBe(1))
  await panel.panel.stop()
  expect(calls).toBe(1)
  expect(measured(panel)).toHaveLength(1)
})

test('the server stops in a pause of the tick, without waiting for its end', async () => {
  let calls = 0
  const panel = await startPanel({
    driver: measuredBy(() => async () => {
      calls += 1
      return []
    }),
  })
  const { id } = await panel.account('alice')
  await multiply(panel, id, 200)
  calls = 0
  await panel.clock.advance(quarter)
  await soon(() => expect(calls).toBe(1))
  await turns(20)
  await panel.panel.stop()
  expect(calls).toBe(1)
})

test('a home with too much to count is marked so, until it can be counted', async () => {
  const panel = await startPanel({
    driver: (root) => createDirectoryDriver({ root, bounds: { maxEntries: 100 } }),
  })
  const { id } = await panel.account('alice')
  const usage = async () => (await panel.get(`/accounts/${id}/usage`)).body
  expect(await usage()).not.toHaveProperty('at_least')
  const many = join(panel.dir, 'host/home/alice/apps/many')
  mkdirSync(many)
  for (let n = 0; n < 300; n++) writeFileSync(join(many, `f${n}`), '')
  await panel.patch(`/accounts/${id}`, { contact_email: 'a@elsewhere.example' })
  await panel.settle()
  expect(await usage()).toMatchObject({ at_least: true, inodes: { used: expect.any(Number) } })
  execFileSync('rm', ['-r', many])
  await panel.patch(`/accounts/${id}`, { contact_email: 'b@elsewhere.example' })
  await panel.settle()
  expect(await usage()).not.toHaveProperty('at_least')
})
