import { describe, expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { type Front, startFront } from './front.ts'

/** How a client reads a version 0 response, in its order of checks: an error text, or undefined for success. */
function oldReading(body: Json): string | undefined {
  if (body.cpanelresult?.error) return body.cpanelresult.error
  if (body.data?.result === '0') return body.data.reason
  const [result] = body.result ?? []
  if (result) return result.status === 1 ? undefined : result.statusmsg
  return 'status' in body && body.status !== 1 ? body.statusmsg : undefined
}

describe('a client that posts forms and speaks version 0', () => {
  const post = async (front: Front, name: string, form: Record<string, string>): Promise<Json> => {
    const { status, body } = await front.send(name, { form })
    expect(status).toBe(200)
    return body
  }

  test('goes through the lifecycle of an account', async () => {
    const front = await startFront()
    const { panel } = front
    expect((await post(front, 'listpkgs', {})).package.map(({ name }: Json) => name)).toEqual(['default'])
    expect(
      oldReading(
        await post(front, 'addpkg', { name: 'root_gold plan', quota: '1000', bwlimit: 'unlimited', maxpop: '5' }),
      ),
    ).toBeUndefined()
    const listed = (await post(front, 'listpkgs', {})).package.find(({ name }: Json) => name === 'root_gold plan')
    expect(listed).toMatchObject({ QUOTA: '1000', BWLIMIT: 'unlimited', MAXPOP: '5', FRONTPAGE: 'n', CGI: 'y' })
    const form = { username: 'acct1', domain: 'a.example', password: 'correct horse 1', contactemail: 'a@b.example' }
    const made = await post(front, 'createacct', { ...form, plan: 'root_gold plan', useregns: '0' })
    expect(made.result[0]).toMatchObject({ status: 1, statusmsg: 'Account Creation Ok', rawout: '' })
    expect(made.result[0].options).toMatchObject({ user: 'acct1', domain: 'a.example', package: 'root_gold plan' })
    const summary = await post(front, 'accountsummary', { user: 'acct1' })
    expect([summary.status, summary.statusmsg, summary.acct.length]).toEqual([1, 'Ok', 1])
    expect((await post(front, 'suspendacct', { user: 'acct1', reason: 'unpaid' })).result).toEqual([
      { status: 1, statusmsg: "acct1's account has been suspended", rawout: '' },
    ])
    expect((await post(front, 'accountsummary', { user: 'acct1' })).acct[0]).toMatchObject({
      suspended: 1,
      suspendreason: 'unpaid',
    })
    expect(oldReading(await post(front, 'unsuspendacct', { user: 'acct1' }))).toBeUndefined()
    expect(oldReading(await post(front, 'changepackage', { user: 'acct1', pkg: 'default' }))).toBeUndefined()
    expect(
      oldReading(await post(front, 'modifyacct', { user: 'acct1', contactemail: 'new@b.example', MAXSQL: '3' })),
    ).toBeUndefined()
    expect(await post(front, 'passwd', { user: 'acct1', pass: 'battery staple 2', db_pass_update: '1' })).toEqual({
      passwd: [{ status: 1, statusmsg: 'Password changed for user acct1', services: [{ app: 'system' }], rawout: '' }],
    })
    const session = (
      await front.send('create_user_session', { form: { 'api.version': '2', user: 'acct1', service: 'cpaneld' } })
    ).body
    expect(session.metadata).toMatchObject({ version: 1, result: 1, reason: 'Created session' })
    expect(session.data.url).toMatch(/^https:\/\/host\.example:7711\/api\/v1\/user\/auth\/sso\?token=/)
    expect(oldReading(await post(front, 'removeacct', { user: 'acct1', keepdns: '0' }))).toBeUndefined()
    expect(await post(front, 'accountsummary', { user: 'acct1' })).toEqual({
      status: 0,
      statusmsg: 'Account does not exist',
      acct: null,
    })
    expect(panel.events()).toEqual([
      'package.created',
      'account.created',
      'job.completed',
      'account.suspended',
      'job.completed',
      'account.unsuspended',
      'job.completed',
      'account.package_changed',
      'job.completed',
      'account.limits_changed',
      'job.completed',
      'account.password_changed',
      'account.terminated',
      'job.completed',
    ])
    const kinds = ['create', 'suspend', 'unsuspend', 'change_package', 'update', 'terminate']
    expect(panel.jobs()).toEqual(kinds.map((kind) => `account.${kind} succeeded`))
  })
})

describe('a client that sends GET with mixed-case names and no password', () => {
  test('creates, upgrades with modifyacct, and signs in with a JSON body', async () => {
    const front = await startFront()
    await front.panel.post('/packages', { name: 'gold' })
    await front.panel.post('/packages', { name: 'silver' })
    const user = 'sWcv15sDFHPym4NP'
    await front.ok('createacct', { username: user, contactemail: 'x@y.example', domain: 'b.example', plan: 'gold' })
    const lower = user.toLowerCase()
    await front.ok('modifyacct', { user: lower, plan: 'silver' })
    expect((await front.ok('accountsummary', { user: lower })).acct[0]).toMatchObject({ plan: 'silver', user: lower })
    const json = { 'api.version': 1, user: lower, service: 'cpaneld' }
    const { body } = await front.send('create_user_session', { json })
    expect(body.metadata.result).toBe(1)
    expect(body.data).toMatchObject({ service: 'cpaneld', cp_security_token: '/cpsess0000000000' })
    expect(Number.isInteger(body.data.expires)).toBe(true)
    expect(await front.refused('create_user_session', { user: lower, service: 'webmaild' })).toMatch(/not available/)
    expect((await front.send('listaccts', {})).body.acct.map(({ user: name }: Json) => name)).toEqual([lower])
  })
})

describe('a client that posts everything in the query', () => {
  const post = async (front: Front, name: string, query: Record<string, string>): Promise<Json> =>
    (await front.send(name, { method: 'POST', query: { 'api.version': '1', ...query } })).body

  test('asks for a package and a free name, then creates and reads back', async () => {
    const front = await startFront()
    expect((await post(front, 'getpkginfo', { pkg: 'gold' })).metadata.result).toBe(0)
    await front.panel.post('/packages', { name: 'gold', disk_quota_mb: 500, bw_limit_mb: 100 })
    expect((await post(front, 'getpkginfo', { pkg: 'gold' })).data.pkg).toMatchObject({ name: 'gold', QUOTA: '500' })
    expect((await post(front, 'verify_new_username', { user: 'acct1' })).metadata.result).toBe(1)
    const query = { username: 'acct1', password: 'correct horse 1', domain: 'c.example', contactemail: 'x@y.example' }
    const made = await post(front, 'createacct', { ...query, plan: 'gold', owner: 'root', reseller: '0' })
    expect(made.metadata).toEqual({ command: 'createacct', version: 1, result: 1, reason: 'Account Creation Ok' })
    expect(Object.keys(made.data)).toEqual([
      'ip',
      'package',
      'nameserver',
      'nameserver2',
      'nameserver3',
      'nameserver4',
      'user',
      'domain',
    ])
    expect((await post(front, 'verify_new_username', { user: 'acct1' })).metadata.reason).toContain('already has')
    expect((await post(front, 'verify_new_username', { user: 'root' })).metadata.reason).not.toContain('already has')
    expect((await post(front, 'createacct', query)).metadata.reason).toBe(
      'This system already has an account named “acct1”.',
    )
    const [bandwidth] = (await post(front, 'showbw', { searchtype: 'user', search: 'acct1' })).data.acct
    expect(bandwidth).toMatchObject({ user: 'acct1', limit: 104_857_600, bwlimited: 1, totalbytes: 0, deleted: 0 })
    expect((await post(front, 'get_nameserver_config', {})).data).toEqual({ nameservers: [] })
  })

  test('terminates by `username`', async () => {
    const front = await startFront()
    await front.panel.account('acct1')
    expect((await post(front, 'removeacct', { username: 'acct1' })).metadata.result).toBe(1)
    expect(front.panel.events()).toEqual(['account.terminated', 'job.completed'])
  })

  test('rounds a fraction of a limit up, so that it is never unlimited', async () => {
    const front = await startFront()
    const { id } = await front.panel.account('acct1')
    for (const [quota, mb] of [
      ['0.5', 1],
      ['1.2', 2],
      ['0.0001', 1],
      ['7', 7],
      ['0', undefined],
    ] as const) {
      await post(front, 'editquota', { user: 'acct1', quota })
      expect([quota, (await front.panel.get(`/accounts/${id}`)).body.disk_quota_mb]).toEqual([quota, mb])
    }
  })

  test('asks for resellers only if they are listed', async () => {
    const plain = await startFront()
    expect((await plain.ok('applist')).app).not.toContain('listresellers')
    const front = await startFront(['accounts:write', 'packages:write', 'server:write'])
    expect((await front.ok('applist')).app).toEqual(expect.arrayContaining(['listresellers', 'setupreseller']))
    await front.panel.account('rita')
    await front.ok('setupreseller', { user: 'rita', makeowner: '0' })
    await front.ok('setupreseller', { user: 'rita', makeowner: '1' })
    expect((await front.ok('listresellers')).reseller).toEqual(['rita'])
    expect((await front.send('listresellers', {})).body).toEqual({ reseller: ['rita'] })
    await front.panel.post('/acls', { name: 'shop', acl: ['list-accts', 'create-acct'] })
    await front.ok('setacls', { reseller: 'rita', acllist: 'shop' })
    expect((await front.ok('setacls', { reseller: 'rita' })).acl.toSorted()).toEqual(['create-acct', 'list-accts'])
    const limits = { enable_account_limit: '1', account_limit: '5', enable_resource_limits: '0', diskspace_limit: '9' }
    await front.ok('setresellerlimits', { user: 'rita', ...limits })
    expect((await front.ok('acctcounts', { user: 'rita' })).reseller).toEqual({
      account: 'rita',
      active: 0,
      suspended: 0,
      limit: 5,
    })
    expect((await front.ok('resellerstats', { user: 'rita' })).reseller).toMatchObject({ diskquota: 0, diskused: 0 })
    front.panel.forget()
    await front.ok('suspendreseller', { user: 'rita', reason: 'unpaid' })
    expect((await front.ok('accountsummary', { user: 'rita' })).acct[0].suspended).toBe(1)
    await front.ok('unsuspendreseller', { user: 'rita' })
    expect((await front.ok('accountsummary', { user: 'rita' })).acct[0].suspended).toBe(0)
    await front.ok('terminatereseller', { user: 'rita' })
    expect(front.panel.events()).toEqual([
      'reseller.suspended',
      'account.suspended',
      'job.completed',
      'reseller.unsuspended',
      'account.unsuspended',
      'job.completed',
      'reseller.removed',
      'account.terminated',
      'job.completed',
    ])
  })
})
