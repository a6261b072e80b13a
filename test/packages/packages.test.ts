import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { packages } from '../../src/areas/packages/tables.ts'
import { limits } from '../../src/contract/accounts.ts'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { resellerToken, unknown } from '../world.ts'

const problem = ({ status, code, body }: Reply) => [status, code, ...Object.keys(body.fields ?? {})]

async function events(panel: TestPanel): Promise<{ events: string[]; jobs: string[] }> {
  await panel.settle()
  return { events: panel.events(), jobs: panel.jobs() }
}

describe('package', () => {
  test('leaves what a package does not limit unlimited, and takes 0 as none', async () => {
    const panel = await startPanel()
    const { body } = await panel.post('/packages', { name: 'open', max_sql: 0 })
    expect(body).toMatchObject({
      name: 'open',
      owner: 'root',
      feature_list_name: 'default',
      max_sql: 0,
      account_count: 0,
    })
    for (const name of Object.keys(limits)) if (name !== 'max_sql') expect(body).not.toHaveProperty(name)
    expect(await events(panel)).toEqual({ events: ['package.created'], jobs: [] })
    const alice = await panel.account('alice', { package_id: body.id })
    expect(alice.max_sql).toBe(0)
    expect(alice).not.toHaveProperty('max_ftp')
  })
  test('provides its settings to accounts created from it', async () => {
    const panel = await startPanel()
    const settings = { shell: '/bin/bash', locale: 'de', theme: 'dark', cgi: false, isolation: { inodes: 900 } }
    const { id } = (await panel.post('/packages', { name: 'own', ...settings, disk_quota_mb: 70 })).body
    const alice = await panel.account('alice', { package_id: id })
    expect(alice).toMatchObject({ shell: '/bin/bash', locale: 'de', theme: 'dark', cgi: false })
    expect(alice).toMatchObject({ disk_quota_mb: 70, inodes_limit: 900 })
  })
  test('applies a changed package to its accounts by a job, and each emits what changed', async () => {
    const panel = await startPanel()
    const { id } = (await panel.post('/packages', { name: 'small', disk_quota_mb: 100 })).body
    const alice = await panel.account('alice', { package_id: id })
    const bob = await panel.account('bob', { package_id: id })
    await panel.patch(`/accounts/${bob.id}`, { disk_quota_mb: 200 })
    await panel.settle()
    panel.forget()
    expect((await panel.patch(`/packages/${id}`, { disk_quota_mb: 200, max_sql: 5 })).body.disk_quota_mb).toBe(200)
    expect(await events(panel)).toEqual({
      events: [
        'package.updated',
        'account.limits_changed',
        'account.limits_changed',
        'job.completed',
        'job.completed',
        'job.completed',
      ],
      jobs: ['package.apply succeeded', 'account.update succeeded', 'account.update succeeded'],
    })
    const received = (await panel.get('/events?type=account.limits_changed,package.updated')).body.items.slice(-3)
    expect(received.map((item: Json) => [item.type, item.account_id, item.data.details])).toEqual([
      ['package.updated', undefined, { name: 'small', fields: ['disk_quota_mb', 'max_sql'] }],
      ['account.limits_changed', alice.id, { changes: { disk_quota_mb: { from: 100, to: 200 }, max_sql: { to: 5 } } }],
      ['account.limits_changed', bob.id, { changes: { max_sql: { to: 5 } } }],
    ])
    expect((await panel.get(`/accounts/${alice.id}`)).body).toMatchObject({ disk_quota_mb: 200, max_sql: 5 })
  })
  test('removes a limit that is set to null, for accounts of the package too', async () => {
    const panel = await startPanel()
    const { id } = (await panel.post('/packages', { name: 'small', max_sql: 1, isolation: { inodes: 5 } })).body
    const alice = await panel.account('alice', { package_id: id })
    const { body } = await panel.patch(`/packages/${id}`, { max_sql: null, isolation: null })
    expect(body).not.toHaveProperty('max_sql')
    expect(body).not.toHaveProperty('isolation')
    await panel.settle()
    const account = (await panel.get(`/accounts/${alice.id}`)).body
    expect(account).not.toHaveProperty('max_sql')
    expect(account).not.toHaveProperty('inodes_limit')
  })
  test('causes nothing for a package that is not actually changed', async () => {
    const panel = await startPanel()
    const { id } = (await panel.post('/packages', { name: 'small', max_sql: 1 })).body
    panel.forget()
    expect((await panel.patch(`/packages/${id}`, { name: 'small', max_sql: 1, max_ftp: null })).status).toBe(200)
    expect((await panel.patch(`/packages/${id}`, {})).status).toBe(200)
    expect(await events(panel)).toEqual({ events: [], jobs: [] })
  })
  test('refuses to delete a package that is in use, or the default for new accounts', async () => {
    const panel = await startPanel()
    const { id } = (await panel.post('/packages', { name: 'small' })).body
    const alice = await panel.account('alice', { package_id: id })
    const standard = (await panel.get('/packages?q=default')).body.items[0]
    const refused = await panel.delete(`/packages/${id}`)
    expect(problem(refused)).toEqual([409, 'in-use'])
    expect(refused.body.detail).toBe('The package small still has accounts (1); move them to another first.')
    expect(problem(await panel.delete(`/packages/${standard.id}`))).toEqual([409, 'in-use'])
    await panel.patch(`/packages/${standard.id}`, { name: 'usual' })
    expect(problem(await panel.delete(`/packages/${standard.id}`))).toEqual([409, 'in-use'])
    await panel.put(`/accounts/${alice.id}/package`, { package_id: standard.id })
    await panel.settle()
    panel.forget()
    expect((await panel.delete(`/packages/${id}`)).status).toBe(204)
    expect(await events(panel)).toEqual({ events: ['package.deleted'], jobs: [] })
    expect(problem(await panel.get(`/packages/${id}`))).toEqual([404, 'not-found'])
  })
  test('has a unique name, a known feature list, and integer limits', async () => {
    const panel = await startPanel()
    await panel.post('/packages', { name: 'small' })
    panel.forget()
    const create = async (fields: object) => problem(await panel.post('/packages', { name: 'other', ...fields }))
    expect(await create({ name: 'small' })).toEqual([409, 'exists', 'name'])
    expect(await create({ name: ' x' })).toEqual([400, 'validation', 'name'])
    expect(await create({ feature_list_id: unknown })).toEqual([400, 'validation', 'feature_list_id'])
    for (const max_sql of [-1, 1.5, '1', 1_000_000_001, null, true])
      expect(await create({ max_sql }), String(max_sql)).toEqual([400, 'validation', 'max_sql'])
    expect(await create({ isolation: { inodes: -1 } })).toEqual([400, 'validation', 'isolation.inodes'])
    expect(await create({ isolation: { odd: 1 } })).toEqual([400, 'validation', 'isolation.odd'])
    expect(await create({ shell: '/bin/zsh' })).toEqual([400, 'validation', 'shell'])
    expect(await events(panel)).toEqual({ events: [], jobs: [] })
  })
  test('shows a package of root to a reseller only with viewglobalpackages, the default always', async () => {
    const panel = await startPanel()
    await panel.post('/packages', { name: 'hidden' })
    const rita = await panel.account('rita', { make_reseller: true })
    const names = async (token: string) =>
      (await panel.get('/packages', { token })).body.items.map((item: Json) => item.name)
    expect(await names(await resellerToken(panel, rita.id, ['list-pkgs']))).toEqual(['default'])
    const global = await resellerToken(panel, rita.id, ['list-pkgs', 'viewglobalpackages', 'edit-pkg'])
    expect(await names(global)).toEqual(['default', 'hidden'])
    const hidden = (await panel.get('/packages?q=hidden')).body.items[0]
    expect(problem(await panel.patch(`/packages/${hidden.id}`, { name: 'mine' }, { token: global }))).toEqual([
      404,
      'not-found',
    ])
    expect(problem(await panel.delete(`/packages/${hidden.id}`, { token: global }))).toEqual([404, 'not-found'])
  })
})

test("a reseller counts its own accounts on a package; one that others use can't be deleted", async () => {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true })
  const asRita = { token: await resellerToken(panel, rita.id, ['all', 'viewglobalpackages']) }
  const shared = (await panel.post('/packages', { name: 'shared' })).body
  await panel.account('alice', { package_id: shared.id })
  const own = (await panel.post('/packages', { name: 'own' }, asRita)).body
  await panel.account('bob', { package_id: own.id })
  const counts = async (as: object) =>
    Object.fromEntries(
      (await panel.get('/packages', as)).body.items.map(({ name, account_count }: Json) => [name, account_count]),
    )
  expect(await counts({})).toMatchObject({ shared: 1, own: 1 })
  expect(await counts(asRita)).toMatchObject({ shared: 0, own: 0 })
  expect((await panel.get(`/packages/${shared.id}`, asRita)).body.account_count).toBe(0)
  expect(problem(await panel.delete(`/packages/${own.id}`, asRita))).toEqual([409, 'in-use'])
})

test('a reseller has at most 500 packages', async () => {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true })
  const token = await resellerToken(panel, rita.id, ['all'])
  const create = (name: string, options = {}) => panel.post('/packages', { name }, options)
  const first = (await create('first', { token })).body
  const row = panel.store.db.select().from(packages).where(eq(packages.id, first.id)).get()!
  await panel.store.change(() => {
    for (let n = 1; n < 500; n++)
      panel.store.db
        .insert(packages)
        .values({ ...row, id: panel.panel.runtime.id(), name: `p${n}` })
        .run()
  })
  expect(problem(await create('more', { token }))).toEqual([409, 'limit-reached'])
  expect((await create('more')).status).toBe(201)
  await panel.delete(`/packages/${first.id}`, { token })
  expect((await create('more', { token })).status).toBe(201)
})

describe('feature list', () => {
  test('enables every feature except those it disables, which applies at once', async () => {
    const panel = await startPanel()
    const made = (await panel.post('/feature-lists', { name: 'basic', features: { cron: false } })).body
    const off = Object.entries(made.features).filter(([, on]) => !on)
    expect([off, Object.keys(made.features).length]).toEqual([
      [['cron', false]],
      (await panel.get('/features')).body.items.length,
    ])
    const plan = (await panel.post('/packages', { name: 'basic', feature_list_id: made.id })).body
    const alice = await panel.account('alice', { package_id: plan.id })
    const token = await panel.token(['full-access'], { account: alice.id })
    const feed = async () => (await panel.get(`/accounts/${alice.id}/events`, { token })).code
    expect(await feed()).toBeUndefined()
    await panel.patch(`/feature-lists/${made.id}`, { features: { api_tokens: false } })
    expect(await feed()).toBe('feature-disabled')
    const again = await panel.patch(`/feature-lists/${made.id}`, { features: { api_tokens: true } })
    expect(again.body.features).toMatchObject({ api_tokens: true, cron: false })
    expect(await feed()).toBeUndefined()
    expect(await events(panel)).toEqual({ events: [], jobs: [] })
  })
  test('refuses to delete a feature list that a package uses, and the default one; names are unique', async () => {
    const panel = await startPanel()
    const made = (await panel.post('/feature-lists', { name: 'basic' })).body
    const { id } = (await panel.post('/packages', { name: 'small', feature_list_id: made.id })).body
    const standard = (await panel.get('/feature-lists?q=default')).body.items[0]
    expect(problem(await panel.delete(`/feature-lists/${made.id}`))).toEqual([409, 'in-use'])
    expect(problem(await panel.delete(`/feature-lists/${standard.id}`))).toEqual([409, 'in-use'])
    expect(problem(await panel.post('/feature-lists', { name: 'basic' }))).toEqual([409, 'exists', 'name'])
    expect(problem(await panel.patch(`/feature-lists/${made.id}`, { name: 'default' }))).toEqual([
      409,
      'exists',
      'name',
    ])
    expect(problem(await panel.patch(`/feature-lists/${standard.id}`, { name: 'x' }))).toEqual([
      400,
      'validation',
      'name',
    ])
    expect(problem(await panel.post('/feature-lists', { name: 'x', features: { nonsense: true } }))).toEqual([
      400,
      'validation',
      'features.nonsense',
    ])
    expect((await panel.patch(`/feature-lists/${made.id}`, { name: 'basic' })).status).toBe(200)
    await panel.delete(`/packages/${id}`)
    expect((await panel.delete(`/feature-lists/${made.id}`)).status).toBe(204)
  })
})

test('an account is refused if every user id has been used', async () => {
  const panel = await startPanel()
  await panel.store.change(() => void panel.store.sqlite.exec('UPDATE nodes SET next_uid = 60000'))
  const refused = await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
  expect([problem(refused), refused.body.detail]).toEqual([
    [409, 'too-many'],
    'Every user id from 20000 to 59999 has been used on this server.',
  ])
  expect(await events(panel)).toEqual({ events: [], jobs: [] })
})

describe('IP address', () => {
  test('normalizes an IP address', async () => {
    const panel = await startPanel()
    const add = (address: string) => panel.post('/ips', { address })
    expect((await add('2001:DB8:0:0::1')).body).toMatchObject({
      address: '2001:db8::1',
      version: 6,
      kind: 'shared',
      main: false,
    })
    expect(problem(await add('2001:db8::1'))).toEqual([409, 'exists', 'address'])
    expect((await add('192.0.2.1')).body).toMatchObject({ address: '192.0.2.1', version: 4 })
    expect(problem(await add('::ffff:192.0.2.1'))).toEqual([409, 'exists', 'address'])
    for (const bad of [
      '192.0.2',
      '0300.0.2.1',
      '1',
      '::1%eth0',
      '192.0.2.1%eth0',
      '192.0.2.1/32',
      ' 192.0.2.1',
      'localhost',
      '0.0.0.0',
      '255.255.255.255',
      '224.0.0.1',
      '::',
      'ff02::1',
    ])
      expect(problem(await add(bad)), bad).toEqual([400, 'validation', 'address'])
    expect(await events(panel)).toEqual({ events: [], jobs: [] })
  })
  test('gives a dedicated IP address to one account, and frees it when that ends', async () => {
    const panel = await startPanel()
    const plan = (await panel.post('/packages', { name: 'own-ip', dedicated_ip: true })).body
    const create = (username: string, fields: object = {}) =>
      panel.post('/accounts', { username, domain: `${username}.example`, ...fields })
    expect(problem(await create('alice', { package_id: plan.id }))).toEqual([409, 'not-configured'])
    const ip = (await panel.post('/ips', { address: '192.0.2.5', kind: 'dedicated' })).body
    const alice = await panel.account('alice', { package_id: plan.id })
    expect(alice.ip_address).toBe('192.0.2.5')
    expect(problem(await create('bob', { package_id: plan.id }))).toEqual([409, 'not-configured'])
    expect(problem(await create('bob', { ip_id: ip.id }))).toEqual([400, 'validation', 'ip_id'])
    expect(problem(await panel.delete(`/ips/${ip.id}`))).toEqual([409, 'in-use'])
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    await panel.settle()
    expect((await panel.account('bob', { package_id: plan.id })).ip_id).toBe(ip.id)
  })
  test('refuses to delete the main IP address', async () => {
    const panel = await startPanel()
    const { items } = (await panel.get('/ips')).body
    expect(items).toMatchObject([{ main: true, kind: 'shared', account_count: 0 }])
    expect(problem(await panel.delete(`/ips/${items[0].id}`))).toEqual([409, 'in-use'])
  })
})
