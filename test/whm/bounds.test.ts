import { describe, expect, test } from 'vitest'
import { matcher } from '../../src/whm/pattern.ts'
import { turns } from '../clock.ts'
import { PausedDriver } from '../drivers.ts'
import { startPanel } from '../harness.ts'
import { billing, Front, startFront } from './front.ts'

describe('limits of a request', () => {
  test('what is too large is refused in the version of the query', async () => {
    const front = await startFront()
    const { status, body } = await front.send('version', { query: { 'api.version': '1' }, text: 'x'.repeat(1 << 21) })
    expect([status, body.metadata?.result]).toEqual([413, 0])
  })

  test('a pattern of nothing but `.*` counts as one `.*`', () => {
    const matches = matcher('.*'.repeat(500_000), undefined)
    const names = Array.from({ length: 10_000 }, (_, n) => `user${n}`)
    expect(names.filter(matches)).toHaveLength(10_000)
    expect(['alice', 'ale', 'al'].map(matcher('^a.*.*l.*.*e$', undefined))).toEqual([true, true, false])
  })
})

describe('account of a request', () => {
  test('finds the account by a domain for the functions that accept one, and for no other', async () => {
    const front = await startFront(['accounts:write', 'packages:write', 'server:write'])
    const { panel } = front
    await panel.account('bob')
    const domain = 'bob.example'
    expect((await front.ok('accountsummary', { domain })).acct[0].user).toBe('bob')
    for (const name of [
      'removeacct',
      'suspendacct',
      'unsuspendacct',
      'passwd',
      'changepackage',
      'editquota',
      'limitbw',
    ])
      expect(await front.refused(name, { domain, user: '', pkg: 'default', pass: 'correct horse 1', quota: '1' })).toBe(
        'The parameter “user” is required.',
      )
    expect(panel.events()).toEqual([])
  })

  test('takes the filled one of two names for the same thing', async () => {
    const front = await startFront()
    await front.panel.account('bob')
    expect((await front.ok('accountsummary', { user: '', username: 'bob' })).acct[0].user).toBe('bob')
  })
})

describe('modifyacct with a package and other changes', () => {
  test('changes nothing where any of it is refused', async () => {
    const front = await startFront()
    const { panel } = front
    await panel.post('/packages', { name: 'gold', max_sql: 7 })
    const { id } = await panel.account('bob')
    await panel.settle()
    const before = (await panel.get(`/accounts/${id}`)).body
    const read = async () => (await panel.get(`/accounts/${id}`)).body
    panel.forget()
    await front.refused('modifyacct', { user: 'bob', plan: 'gold', contactemail: 'nonsense' })
    await front.refused('modifyacct', { user: 'bob', plan: 'gold', newuser: 'root' })
    expect(panel.events()).toEqual([])
    expect(await read()).toEqual(before)
  })

  test('requested values override the package', async () => {
    const front = await startFront()
    const { panel } = front
    await panel.post('/packages', { name: 'gold', max_sql: 7, max_ftp: 7 })
    await panel.account('bob')
    await front.ok('modifyacct', { user: 'bob', plan: 'gold', MAXSQL: '3', contactemail: 'new@b.example' })
    const row = (await front.ok('accountsummary', { user: 'bob' })).acct[0]
    expect(row).toMatchObject({ plan: 'gold', maxsql: '3', maxftp: '7', email: 'new@b.example' })
  })

  test('a refused package leaves the account unchanged', async () => {
    const front = await startFront()
    const { panel } = front
    const { id } = await panel.account('bob')
    await panel.post('/packages', { name: 'tiny', disk_quota_mb: 1 })
    await panel.store.change(() => panel.store.sqlite.prepare('UPDATE accounts SET disk_used_mb = 50').run())
    const before = (await panel.get(`/accounts/${id}`)).body
    await front.refused('modifyacct', { user: 'bob', plan: 'tiny', MAXSQL: '3', contactemail: 'new@b.example' })
    await panel.settle()
    expect((await panel.get(`/accounts/${id}`)).body).toMatchObject({
      contact_email: before.contact_email,
      package_name: before.package_name,
    })
    expect((await panel.get(`/accounts/${id}`)).body.max_sql).toBe(before.max_sql)
  })
})

test('a request with two jobs waits no longer than a request with one', async () => {
  let driver!: PausedDriver
  const panel = await startPanel({
    driver: (root) => {
      driver = new PausedDriver(root)
      return driver
    },
  })
  const front = new Front(panel, await panel.token(billing))
  driver.hold()
  const query = { 'api.version': '1', username: 'bob', domain: 'bob.example', quota: '100' }
  const requests = front.send('createacct', { query })
  while (driver.calls.length === 0) await turns()
  await turns()
  await panel.clock.advance(8_000)
  const { body } = await requests
  expect(body.metadata).toMatchObject({ result: 1, output: { raw: expect.stringContaining('is still running.') } })
  driver.release()
  await panel.settle()
  expect(panel.jobs()).toEqual(['account.create succeeded', 'account.update succeeded'])
})
