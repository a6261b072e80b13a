import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PausedDriver } from '../drivers.ts'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { resellerToken, unknown } from '../world.ts'

const problem = ({ status, code, body }: Reply) => [status, code, ...Object.keys(body.fields ?? {})]

/** Returns what happened since the last call, after all due jobs have run. */
async function events(panel: TestPanel): Promise<{ events: string[]; jobs: string[] }> {
  await panel.settle()
  return { events: panel.events(), jobs: panel.jobs() }
}

const nothing = { events: [], jobs: [] }

/** Sets an account's usage, like the measuring tick does. */
const uses = (panel: TestPanel, id: string, disk: number, inodes = 0) =>
  panel.store.change(
    () =>
      void panel.store.sqlite
        .prepare('UPDATE accounts SET disk_used_mb = ?, inodes_used = ? WHERE id = ?')
        .run(disk, inodes, id),
  )

describe('references of an account', () => {
  test('refuses a reference to what does not exist or is not usable, naming the field', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const create = (fields: object) => panel.post('/accounts', { username: 'bob', domain: 'bob.example', ...fields })
    expect(problem(await create({ package_id: unknown }))).toEqual([400, 'validation', 'package_id'])
    expect(problem(await create({ ip_id: unknown }))).toEqual([400, 'validation', 'ip_id'])
    expect(problem(await create({ owner_id: unknown }))).toEqual([400, 'validation', 'owner_id'])
    expect(problem(await create({ owner_id: alice.id }))).toEqual([400, 'validation', 'owner_id'])
    expect(problem(await create({ owns_itself: true }))).toEqual([400, 'validation', 'owns_itself'])
    expect(problem(await create({ mail_node: 'far' }))).toEqual([400, 'validation', 'mail_node'])
    expect(problem(await create({ password: 'a'.repeat(129) }))).toEqual([400, 'validation', 'password'])
    expect(problem(await create({ password: null }))).toEqual([400, 'validation', 'password'])
    expect(problem(await panel.put(`/accounts/${alice.id}/package`, { package_id: unknown }))).toEqual([
      400,
      'validation',
      'package_id',
    ])
    expect(problem(await panel.patch(`/accounts/${alice.id}`, { ip_id: unknown }))).toEqual([
      400,
      'validation',
      'ip_id',
    ])
    expect(await events(panel)).toEqual(nothing)
  })
  test('a reseller may only refer to what is its own', async () => {
    const panel = await startPanel()
    const rita = await panel.account('rita', { make_reseller: true })
    const hidden = (await panel.post('/packages', { name: 'hidden' })).body
    panel.forget()
    const token = await resellerToken(panel, rita.id, ['create-acct', 'list-accts'])
    const create = (fields: object) =>
      panel.post('/accounts', { username: 'bob', domain: 'bob.example', ...fields }, { token })
    expect(problem(await create({ package_id: hidden.id }))).toEqual([400, 'validation', 'package_id'])
    expect(problem(await create({ owner_id: rita.owner_id }))).toEqual([400, 'validation', 'owner_id'])
    expect(problem(await create({ make_reseller: true }))).toEqual([400, 'validation', 'make_reseller'])
    const made = await create({})
    expect(made.body.account).toMatchObject({ owner_id: rita.id, owner_name: 'rita', package_name: 'default' })
    expect(await events(panel)).toEqual({
      events: ['account.created', 'job.completed'],
      jobs: ['account.create succeeded'],
    })
    expect((await panel.get('/accounts', { token })).body.items.map((item: Json) => item.username)).toEqual(['bob'])
  })
  test('a reseller that owns itself is made in one step', async () => {
    const panel = await startPanel()
    const body = { username: 'rita', domain: 'rita.example', make_reseller: true, owns_itself: true }
    const { account } = (await panel.post('/accounts', body)).body
    expect(account).toMatchObject({ is_reseller: true, make_reseller: true, owner_id: account.id, owner_name: 'rita' })
    expect((await events(panel)).events).toEqual(['reseller.created', 'account.created', 'job.completed'])
  })
})

describe('suspension of an account', () => {
  test('a suspended account updates reason and lock, keeps the date, and emits the event again', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const first = (await panel.post(`/accounts/${id}/suspend`, { reason: 'unpaid' })).body.account
    panel.clock.jump(1000)
    const second = (await panel.post(`/accounts/${id}/suspend`, { reason: 'abuse', lock: true })).body.account
    expect(second).toMatchObject({ suspend_reason: 'abuse', suspend_locked: true, suspended_at: first.suspended_at })
    expect(await events(panel)).toEqual({
      events: ['account.suspended', 'account.suspended', 'job.completed', 'job.completed'],
      jobs: ['account.suspend succeeded', 'account.suspend succeeded'],
    })
  })
  test('reserves a suspension with a lock, and its end, for root', async () => {
    const panel = await startPanel()
    const rita = await panel.account('rita', { make_reseller: true })
    const token = await resellerToken(panel, rita.id, ['suspend-acct'])
    const { id } = await panel.account('alice', { owner_id: rita.id })
    expect(problem(await panel.post(`/accounts/${id}/suspend`, { lock: true }, { token }))).toEqual([
      400,
      'validation',
      'lock',
    ])
    await panel.post(`/accounts/${id}/suspend`, { lock: true })
    await panel.settle()
    panel.forget()
    expect(problem(await panel.post(`/accounts/${id}/unsuspend`, undefined, { token }))).toEqual([
      403,
      'suspend-locked',
    ])
    const again = await panel.post(`/accounts/${id}/suspend`, { reason: 'mine' }, { token })
    expect(again.body.account).toMatchObject({ suspend_locked: true, suspend_reason: 'mine', suspended_by: 'rita' })
    expect(problem(await panel.post(`/accounts/${id}/unsuspend`, undefined, { token }))).toEqual([
      403,
      'suspend-locked',
    ])
    expect(await events(panel)).toEqual({
      events: ['account.suspended', 'job.completed'],
      jobs: ['account.suspend succeeded'],
    })
    expect((await panel.post(`/accounts/${id}/unsuspend`)).body.account).toMatchObject({
      status: 'active',
      suspend_locked: false,
      suspend_reason: '',
    })
  })
  test("an active account's unsuspend enqueues a job, without an event of its own", async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const reply = await panel.post(`/accounts/${id}/unsuspend`)
    expect([reply.status, reply.body.account.status]).toEqual([202, 'active'])
    expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['account.unsuspend succeeded'] })
  })
  test('hides date and name of a suspension once it is lifted', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    await panel.post(`/accounts/${id}/suspend`, {})
    const { account } = (await panel.post(`/accounts/${id}/unsuspend`)).body
    expect(account).not.toHaveProperty('suspended_at')
    expect(account).not.toHaveProperty('suspended_by')
  })
})

describe('change of package', () => {
  test('enqueues a job without an event when the package stays the same', async () => {
    const panel = await startPanel()
    const { id, package_id } = await panel.account('alice')
    expect((await panel.put(`/accounts/${id}/package`, { package_id })).status).toBe(202)
    expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['account.change_package succeeded'] })
  })
  test('refuses a package with less disk or fewer inodes than in use, and accepts just as much', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const small = (await panel.post('/packages', { name: 'small', disk_quota_mb: 10, isolation: { inodes: 5 } })).body
    panel.forget()
    const move = () => panel.put(`/accounts/${id}/package`, { package_id: small.id })
    await uses(panel, id, 11, 5)
    expect(problem(await move())).toEqual([409, 'limit-reached', 'disk_quota_mb'])
    await uses(panel, id, 11, 6)
    expect(problem(await move())).toEqual([409, 'limit-reached', 'disk_quota_mb', 'inodes_limit'])
    expect(await events(panel)).toEqual(nothing)
    await uses(panel, id, 10, 5)
    const moved = await move()
    expect(moved.body.account).toMatchObject({ package_name: 'small', disk_quota_mb: 10, inodes_limit: 5 })
    expect(await events(panel)).toEqual({
      events: ['account.package_changed', 'job.completed'],
      jobs: ['account.change_package succeeded'],
    })
  })
  test('keeps counts above its maximum', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const none = (await panel.post('/packages', { name: 'none', max_sql: 0 })).body
    for (const name of ['a', 'b', 'c']) await panel.post(`/accounts/${id}/mysql/databases`, { name })
    await panel.settle()
    expect((await panel.put(`/accounts/${id}/package`, { package_id: none.id })).status).toBe(202)
    expect((await panel.get(`/accounts/${id}/usage`)).body.databases).toEqual({ used: 3, limit: 0 })
  })
})

describe('update of an account', () => {
  test('emits what changed, and nothing else', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const update = async (body: object) => {
      const reply = await panel.patch(`/accounts/${id}`, body)
      expect(reply.status, JSON.stringify(reply.body)).toBe(202)
      return (await events(panel)).events
    }
    expect(await update({ username: 'Alicia' })).toEqual(['account.renamed', 'job.completed'])
    expect(await update({ domain: 'Alicia.example' })).toEqual(['account.domain_changed', 'job.completed'])
    expect(await update({ disk_quota_mb: 50 })).toEqual(['account.limits_changed', 'job.completed'])
    expect(await update({ disk_quota_mb: 50, username: 'alicia', domain: 'alicia.example' })).toEqual(['job.completed'])
    expect(await update({ disk_quota_mb: null, max_sql: 0 })).toEqual(['account.limits_changed', 'job.completed'])
    expect(await update({ theme: 'dark', contact_email: 'a@b.example' })).toEqual(['job.completed'])
    expect(await update({})).toEqual(['job.completed'])
    const { body } = await panel.get(`/accounts/${id}`)
    expect(body).toMatchObject({
      username: 'alicia',
      home_dir: '/home/alicia',
      max_sql: 0,
      theme: 'dark',
      db_prefix: 'alice_',
    })
    expect(body).not.toHaveProperty('disk_quota_mb')
    expect(existsSync(join(panel.dir, 'host/home/alicia'))).toBe(true)
    expect(existsSync(join(panel.dir, 'host/home/alice'))).toBe(false)
  })
  test("puts each limit's old and new value in the event", async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    await panel.patch(`/accounts/${id}`, { disk_quota_mb: 50 })
    await panel.patch(`/accounts/${id}`, { disk_quota_mb: null, max_sql: 2 })
    const { items } = (await panel.get('/events?type=account.limits_changed')).body
    expect(items.map((item: Json) => item.data.details.changes)).toEqual([
      { disk_quota_mb: { to: 50 } },
      { disk_quota_mb: { from: 50 }, max_sql: { to: 2 } },
    ])
  })
  test('refuses a limit below what is in use, and changes nothing else', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    await uses(panel, id, 11)
    const refused = await panel.patch(`/accounts/${id}`, { disk_quota_mb: 10, theme: 'dark' })
    expect(problem(refused)).toEqual([409, 'limit-reached', 'disk_quota_mb'])
    expect((await panel.get(`/accounts/${id}`)).body.theme).toBe('default')
    expect(await events(panel)).toEqual(nothing)
  })
  test('lets a customer change contact address, theme and language only', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const token = await panel.token(['account:write'], { account: id })
    const beyond = await panel.patch(`/accounts/${id}`, { theme: 'dark', max_sql: 9, shell: '/bin/bash' }, { token })
    expect(problem(beyond)).toEqual([400, 'validation', 'shell', 'max_sql'])
    expect(await events(panel)).toEqual(nothing)
    const within = await panel.patch(`/accounts/${id}`, { theme: 'dark', locale: 'de', contact_email: '' }, { token })
    expect([within.status, within.body.account.theme]).toEqual([202, 'dark'])
    expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['account.update succeeded'] })
  })
  test('refuses a new name that is taken, reserved or below another', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    await panel.account('bob')
    const update = async (body: object) => problem(await panel.patch(`/accounts/${id}`, body))
    expect(await update({ username: 'bob' })).toEqual([400, 'validation', 'username'])
    expect(await update({ username: 'root' })).toEqual([400, 'validation', 'username'])
    expect(await update({ domain: 'bob.example' })).toEqual([400, 'validation', 'domain'])
    expect(await update({ domain: 'www.bob.example' })).toEqual([400, 'validation', 'domain'])
    expect(await update({ username: null })).toEqual([400, 'validation', 'username'])
    expect((await panel.patch(`/accounts/${id}`, { domain: 'www.alice.example' })).status).toBe(202)
  })
  test('frees its names at once, and their files on the host go to the next account with them', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    await panel.patch(`/accounts/${id}`, { username: 'alicia', domain: 'alicia.example' })
    const made = await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
    expect(made.status).toBe(202)
    for (let attempt = 0; attempt < 3; attempt++) {
      await panel.settle()
      await panel.clock.advance(20_000)
    }
    const names = (await panel.get('/accounts')).body.items.map((item: Json) => `${item.username} ${item.status}`)
    expect(names).toEqual(['alicia active', 'alice active'])
    for (const name of ['alice', 'alicia'])
      expect(existsSync(join(panel.dir, `host/etc/panel/nginx/sites/${name}.example.conf`)), name).toBe(true)
  })
})

describe('password of an account', () => {
  test('lets the password change while the account is provisioning, suspended or both', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    const made = await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
    const { id } = made.body.account
    panel.forget()
    const change = () => panel.post(`/accounts/${id}/password`, { new_password: 'another secret' })
    expect((await change()).status).toBe(204)
    await panel.post(`/accounts/${id}/suspend`, {})
    expect((await change()).status).toBe(204)
    expect(panel.events()).toEqual(['account.password_changed', 'account.suspended', 'account.password_changed'])
    expect(panel.jobs()).toEqual(['account.suspend queued'])
    driver?.release()
  })
  test('requires a password of 8 to 128 characters', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    for (const new_password of ['seven77', 'a'.repeat(129), 12345678, null])
      expect(problem(await panel.post(`/accounts/${id}/password`, { new_password }))).toEqual([
        400,
        'validation',
        'new_password',
      ])
    for (const new_password of ['eight888', 'a'.repeat(128)])
      expect((await panel.post(`/accounts/${id}/password`, { new_password })).status).toBe(204)
  })
  test('refuses to change the password with a token of the account', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const token = await panel.token(['full-access'], { account: id })
    const refused = await panel.post(`/accounts/${id}/password`, { new_password: 'another secret' }, { token })
    expect(problem(refused)).toEqual([403, 'token-scope'])
    expect(await events(panel)).toEqual(nothing)
  })
})
