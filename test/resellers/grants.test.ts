import { describe, expect, test } from 'vitest'
import type { Privilege } from '../../src/contract/common.ts'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'

const defaultValue: Privilege[] = [
  'list-accts',
  'create-acct',
  'edit-account',
  'upgrade-account',
  'list-pkgs',
  'add-pkg',
  'edit-pkg',
]
const bash = '/bin/bash'
const bounded = { disk_quota_mb: 100, bw_limit_mb: 1000, max_addon: 0, max_parked: 0 }

const fieldsOf = ({ status, body }: Reply): Record<string, string> | number => body.fields ?? status

/** rita with these privileges besides the usual, and an account of hers with a limited package. */
async function rita(...more: Privilege[]) {
  const panel = await startPanel()
  const { id } = await panel.account('rita')
  const token = await resellerToken(panel, id, [...defaultValue, ...more])
  const plan = (await panel.post('/packages', { name: 'small', ...bounded }, { token })).body
  const carol = await panel.account('carol', { owner_id: id, package_id: plan.id })
  const change = async (body: object) => fieldsOf(await panel.patch(`/accounts/${carol.id}`, body, { token }))
  return { panel, id, token, plan, carol, change }
}

describe("reseller's package", () => {
  test('isolates accounts at least like the default one, unless a privilege lifts that', async () => {
    const { panel, token, carol, id } = await rita('allow-shell')
    const [standard] = (await panel.get('/packages?q=default')).body.items
    await panel.patch(`/packages/${standard.id}`, { isolation: { mem_mb: 512, nproc: 100 } })
    await panel.settle()
    const make = (name: string, isolation?: object) =>
      panel.post('/packages', { name, ...bounded, ...(isolation && { isolation }) }, { token })
    const needed = 'needs the privilege allow-unlimited-pkgs'
    const beyond = {
      'isolation.mem_mb': `must be at most 512; more ${needed}`,
      'isolation.nproc': `must be at most 100; more ${needed}`,
    }
    expect(fieldsOf(await make('big', { mem_mb: 1e9, nproc: 1e9 }))).toEqual(beyond)
    expect((await make('usual')).body.isolation).toEqual({ mem_mb: 512, nproc: 100 })
    const part = (await make('part', { mem_mb: 100, iops: 1e9 })).body
    expect(part.isolation).toEqual({ mem_mb: 100, nproc: 100, iops: 1e9 })
    const set = (isolation: object | null) => panel.patch(`/packages/${part.id}`, { isolation }, { token })
    expect(fieldsOf(await set(null))).toEqual(beyond)
    expect(fieldsOf(await set({ mem_mb: 512 }))).toEqual({ 'isolation.nproc': beyond['isolation.nproc'] })
    expect(fieldsOf(await set({ mem_mb: 512, nproc: 1 }))).toBe(200)
    // Made before root's default had limits.
    const dave = { username: 'dave', domain: 'dave.example', package_id: carol.package_id }
    const refused = await panel.post('/accounts', dave, { token })
    expect(refused.body.fields).toEqual({ package_id: `its isolation.mem_mb must be at most 512; more ${needed}` })
    await panel.put(`/resellers/${id}/acl`, { acl: [...defaultValue, 'allow-unlimited-pkgs'] })
    expect((await make('big', { mem_mb: 1e9 })).status).toBe(201)
  })
})

describe('reseller that changes an account', () => {
  test('cannot give it a shell or lift a limit without privileges, and stores nothing', async () => {
    const { panel, carol, change } = await rita()
    panel.forget()
    const everything = {
      shell: bash,
      cgi: true,
      disk_quota_mb: null,
      bw_limit_mb: null,
      max_email_per_hour: 1,
      max_addon: null,
      max_parked: 3,
    }
    expect(await change(everything)).toEqual({
      shell: 'needs the privilege allow-shell',
      disk_quota_mb: 'needs the privilege quota',
      bw_limit_mb: 'needs the privilege limit-bandwidth',
      max_email_per_hour: 'needs the privilege allow-emaillimits-pkgs',
      max_addon: 'must be 0 without the privilege allow-addoncreate',
      max_parked: 'must be 0 without the privilege allow-parkedcreate',
    })
    for (const [field, value] of Object.entries(everything))
      if (field !== 'cgi') expect(await change({ [field]: value })).toHaveProperty(field)
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    expect((await panel.get(`/accounts/${carol.id}`)).body).toEqual(carol)
  })
  test('may repeat current values, change what needs no privilege, and take away', async () => {
    const { change } = await rita()
    expect(await change({ ...bounded, shell: '/usr/sbin/nologin' })).toBe(202)
    expect(await change({ cgi: false, max_sql: 3, theme: 'dark' })).toBe(202)
  })
  test.each<[Privilege[], object]>([
    [['allow-shell'], { shell: bash }],
    [['quota'], { disk_quota_mb: 500 }],
    [['quota', 'allow-unlimited-disk-pkgs'], { disk_quota_mb: null }],
    [['quota', 'allow-unlimited-pkgs'], { disk_quota_mb: null }],
    [['limit-bandwidth'], { bw_limit_mb: 5 }],
    [['limit-bandwidth', 'allow-unlimited-bw-pkgs'], { bw_limit_mb: null }],
    [['allow-addoncreate'], { max_addon: null }],
    [['allow-parkedcreate'], { max_parked: 4 }],
    [['allow-emaillimits-pkgs'], { max_email_per_hour: 100 }],
    [['all'], { shell: bash, disk_quota_mb: null, bw_limit_mb: null, max_addon: 1, max_email_per_hour: 1 }],
  ])('lets a reseller with %j make %j of it', async (privileges, body) => {
    const { change } = await rita(...privileges)
    expect(await change(body)).toBe(202)
  })
  test.each<[Privilege, object]>([
    ['quota', { disk_quota_mb: null }],
    ['limit-bandwidth', { bw_limit_mb: null }],
    ['allow-unlimited-pkgs', { disk_quota_mb: null }],
  ])('does not let a reseller with only %s make %j of it', async (privilege, body) => {
    const { change } = await rita(privilege)
    expect(Object.keys((await change(body)) as object)).toEqual(Object.keys(body))
  })
  test('cannot lift its own mail limit set by root', async () => {
    const { panel, carol, change } = await rita()
    await panel.patch(`/accounts/${carol.id}`, { max_email_per_hour: 10 })
    expect(await change({ max_email_per_hour: null })).toHaveProperty('max_email_per_hour')
  })
})

describe('reseller that chooses a package', () => {
  const create = (panel: TestPanel, token: string, body: object) =>
    panel.post('/accounts', { username: 'dave', domain: 'dave.example', ...body }, { token })

  test('gives with a package of its own only what its privileges allow now, at create and at a change', async () => {
    const { panel, id, token, carol } = await rita('allow-unlimited-pkgs', 'add-pkg-shell')
    const large = (await panel.post('/packages', { name: 'large', ...bounded, disk_quota_mb: undefined }, { token }))
      .body
    const shelled = (await panel.post('/packages', { name: 'shelled', ...bounded, shell: bash }, { token })).body
    expect((await panel.put(`/accounts/${carol.id}/package`, { package_id: large.id }, { token })).status).toBe(202)
    await panel.settle()
    panel.forget()
    await resellerToken(panel, id, defaultValue)
    const disk = { package_id: 'its disk_quota_mb needs a number, or the privilege allow-unlimited-disk-pkgs' }
    expect(fieldsOf(await create(panel, token, { package_id: large.id }))).toEqual(disk)
    const shell = { package_id: 'its shell needs the privilege allow-shell' }
    expect(fieldsOf(await create(panel, token, { package_id: shelled.id }))).toEqual(shell)
    const move = (plan: Json) => panel.put(`/accounts/${carol.id}/package`, { package_id: plan.id }, { token })
    expect(fieldsOf(await move(shelled))).toEqual(shell)
    expect((await move(large)).status).toBe(202)
    expect(panel.events()).toEqual([])
    const without = { package_id: shelled.id, shell: '/usr/sbin/nologin' }
    expect((await create(panel, token, without)).body.account.shell).toBe('/usr/sbin/nologin')
  })
  test('gives with a package of root what root configured, except a shell', async () => {
    const { panel, token, carol } = await rita('viewglobalpackages')
    const gold = (await panel.post('/packages', { name: 'gold' })).body
    const shelled = (await panel.post('/packages', { name: 'shelled', shell: bash })).body
    expect((await create(panel, token, { package_id: gold.id })).status).toBe(202)
    expect((await panel.put(`/accounts/${carol.id}/package`, { package_id: gold.id }, { token })).status).toBe(202)
    const move = await panel.put(`/accounts/${carol.id}/package`, { package_id: shelled.id }, { token })
    expect(fieldsOf(move)).toEqual({ package_id: 'its shell needs the privilege allow-shell' })
  })
  test('cannot give a shell on its own, at create or through a package in use', async () => {
    const { panel, token, plan } = await rita('add-pkg-shell')
    const made = await create(panel, token, { package_id: plan.id, shell: bash })
    expect(fieldsOf(made)).toEqual({ shell: 'needs the privilege allow-shell' })
    const changed = await panel.patch(`/packages/${plan.id}`, { shell: bash }, { token })
    expect(fieldsOf(changed)).toEqual({ shell: 'needs the privilege allow-shell' })
  })
})

describe('feature lists', () => {
  test('lets a reseller give the default feature list and those of packages it sees', async () => {
    const { panel, token, plan } = await rita()
    const list = async (name: string) => (await panel.post('/feature-lists', { name })).body
    const [vip, input, gold] = [await list('vip'), await list('given'), await list('gold')]
    await panel.patch(`/packages/${plan.id}`, { feature_list_id: input.id })
    await panel.post('/packages', { name: 'gold', feature_list_id: gold.id })
    const packageWith = (feature_list_id: string, name: string) =>
      panel.post('/packages', { name, ...bounded, feature_list_id }, { token })
    const unusable = { feature_list_id: 'is not a feature list that you can use' }
    expect(fieldsOf(await packageWith(vip.id, 'one'))).toEqual(unusable)
    expect(fieldsOf(await packageWith(gold.id, 'one'))).toEqual(unusable)
    expect((await packageWith(input.id, 'one')).status).toBe(201)
    expect(fieldsOf(await panel.patch(`/packages/${plan.id}`, { feature_list_id: vip.id }, { token }))).toEqual(
      unusable,
    )
    const { items, total } = (await panel.get('/feature-lists', { token })).body
    const seen = items.map(({ name, package_count }: Json) => [name, package_count])
    expect([seen, total]).toEqual([
      [
        ['default', 1],
        ['given', 2],
      ],
      2,
    ])
    expect((await panel.get(`/feature-lists/${vip.id}`, { token })).code).toBe('not-found')
    expect((await panel.get(`/feature-lists/${input.id}`, { token })).body.name).toBe('given')
    expect((await panel.get('/feature-lists?q=vip', { token })).body.total).toBe(0)
    expect((await panel.get('/features', { token })).status).toBe(200)
  })
  test("lets a reseller with viewglobalpackages give the feature lists of root's packages", async () => {
    const { panel, token } = await rita('viewglobalpackages')
    const gold = (await panel.post('/feature-lists', { name: 'gold' })).body
    await panel.post('/packages', { name: 'gold', feature_list_id: gold.id })
    const made = await panel.post('/packages', { name: 'mine', ...bounded, feature_list_id: gold.id }, { token })
    expect(made.body.feature_list_name).toBe('gold')
  })
  test('shows the feature list to the account as its features', async () => {
    const { panel, token, carol, plan } = await rita()
    const list = (await panel.post('/feature-lists', { name: 'few', features: { cron: false, ssh: false } })).body
    await panel.patch(`/packages/${plan.id}`, { feature_list_id: list.id })
    const own = await panel.token(['account:read'], { account: carol.id })
    for (const reader of [own, token]) {
      const { items } = (await panel.get(`/accounts/${carol.id}/features`, { token: reader })).body
      const off = items.filter(({ enabled }: Json) => !enabled).map(({ name }: Json) => name)
      expect([items.length > 20, off]).toEqual([true, ['ssh', 'cron']])
    }
  })
})

describe("parent of the server's hostname", () => {
  test("reserves a parent of the server's hostname for root", async () => {
    const panel = await startPanel({ hostname: 'panel.eu.hosting.example' })
    const { id } = await panel.account('rita')
    const token = await resellerToken(panel, id, ['create-acct', 'edit-account'])
    const carol = await panel.account('carol', { owner_id: id })
    const refused = { domain: "is a parent domain of the server's hostname; only root can add it" }
    for (const domain of ['hosting.example', 'EU.hosting.example']) {
      expect(fieldsOf(await panel.post('/accounts', { username: 'dave', domain }, { token }))).toEqual(refused)
      expect(fieldsOf(await panel.patch(`/accounts/${carol.id}`, { domain }, { token }))).toEqual(refused)
      const check = await panel.get(`/accounts-check?domain=${domain}`, { token })
      expect(check.body.domain).toEqual({ available: false, reason: refused.domain })
    }
    expect((await panel.post('/accounts', { username: 'dave', domain: 'ing.example' }, { token })).status).toBe(202)
    expect((await panel.post('/accounts', { username: 'erin', domain: 'hosting.example' })).status).toBe(202)
  })
})
