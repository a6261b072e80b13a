import { describe, expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'

const password = 'correct horse battery'

/** A reseller `rita` with these privileges, signed in. */
async function rita(panel: TestPanel, acl: string[]) {
  const account = await panel.account('rita', { password })
  const made = await panel.post('/resellers', { account_id: account.id, acl })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  expect(panel.events()).toEqual(['reseller.created'])
  const browser = new Browser(panel)
  expect((await browser.signIn('rita', password, 'admin')).body).toMatchObject({
    role: 'reseller',
    acl,
    reseller: { username: 'rita' },
  })
  return { id: account.id, browser }
}

describe('reseller', () => {
  test('may do exactly what its ACL says, on its own accounts', async () => {
    const panel = await startPanel()
    const foreign = await panel.account('bob')
    const { id, browser } = await rita(panel, ['list-accts', 'create-acct'])
    const made = await browser.post('/accounts', { username: 'carol', domain: 'carol.example' })
    expect(made.body.account).toMatchObject({ owner_id: id, owner_name: 'rita' })
    await panel.settle()
    expect(panel.events()).toEqual(['account.created', 'job.completed'])
    const carol = made.body.account.id
    expect((await browser.get('/accounts')).body).toMatchObject({ total: 1, items: [{ username: 'carol' }] })
    expect((await browser.get(`/accounts/${foreign.id}`)).code).toBe('not-found')
    expect((await browser.get(`/jobs/${made.body.job_id}`)).body.job.status).toBe('succeeded')
    const refused = await browser.post(`/accounts/${carol}/suspend`, {})
    expect([refused.code, refused.body.detail]).toEqual(['forbidden', 'This needs the privilege suspend-acct.'])
    await panel.put(`/resellers/${id}/acl`, { acl: ['suspend-acct'] })
    expect((await browser.post(`/accounts/${carol}/suspend`, { lock: true })).body.fields).toHaveProperty('lock')
    expect([panel.events(), panel.jobs()]).toEqual([[], ['account.create succeeded']])
    expect((await browser.post(`/accounts/${carol}/suspend`, {})).status).toBe(202)
    await panel.settle()
    expect([panel.events(), panel.jobs()]).toEqual([
      ['account.suspended', 'job.completed'],
      ['account.suspend succeeded'],
    ])
    expect((await browser.get('/accounts')).code).toBe('forbidden')
    expect((await browser.post(`/accounts/${foreign.id}/suspend`, {})).code).toBe('not-found')
    expect((await browser.get('/resellers')).code).toBe('forbidden')
    await panel.post(`/accounts/${carol}/suspend`, { lock: true })
    await panel.settle()
    panel.forget()
    expect((await browser.post(`/accounts/${carol}/unsuspend`)).code).toBe('suspend-locked')
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test('sets no nameservers within domains of others; root may', async () => {
    const panel = await startPanel()
    await panel.account('bob')
    const { id, browser } = await rita(panel, ['list-accts', 'create-acct'])
    await browser.post('/accounts', { username: 'carol', domain: 'carol.example' })
    await panel.settle()
    const set = (caller: Pick<typeof browser, 'patch'>, ...nameservers: string[]) =>
      caller.patch(`/resellers/${id}`, { nameservers })
    for (const name of ['ns1.bob.example', 'a.ns.bob.example', 'bob.example']) {
      const refused = await set(browser, 'ns1.rita.example', name)
      expect([refused.status, refused.body.fields]).toEqual([
        400,
        { nameservers: `item 2: ${name} belongs to a domain of another account; only root can set it` },
      ])
    }
    expect((await panel.get(`/resellers/${id}`)).body.nameservers).toEqual([])
    expect((await set(browser, 'ns1.rita.example', 'ns1.carol.example', 'ns.elsewhere.example')).status).toBe(200)
    expect((await set(panel, 'ns1.bob.example')).status).toBe(200)
    expect((await set(browser, 'ns1.bob.example', 'ns1.rita.example')).status).toBe(200)
  })

  test('is the only one besides root that can have the domains of its nameservers and its brand', async () => {
    const panel = await startPanel()
    const bob = await panel.account('bob')
    const { id, browser } = await rita(panel, ['all'])
    const carol = (await browser.post('/accounts', { username: 'carol', domain: 'carol.example' })).body.account
    await panel.settle()
    const names = { nameservers: ['ns1.ritans.example', 'co.uk'], brand: { hostname: 'panel.rita.example' } }
    expect((await browser.patch(`/resellers/${id}`, names)).status).toBe(200)
    await panel.store.change(() => {
      panel.store.sqlite.exec("UPDATE nodes SET hostname = 'web2.nodes.example'")
    })
    panel.forget()
    const as = {
      bob: await panel.token(['full-access'], { account: bob.id }),
      carol: await panel.token(['full-access'], { account: carol.id }),
    }
    const add = async (name: string) =>
      (await panel.post(`/accounts/${bob.id}/domains`, { name }, { token: as.bob })).body
    for (const [name, reason] of [
      ['ritans.example', 'is a parent domain of the name server of a reseller'],
      ['ns1.ritans.example', 'is the name server of a reseller'],
      ['a.ns1.ritans.example', 'is a subdomain of the name server of a reseller'],
      ['panel.rita.example', 'is the host name of a brand'],
      ['nodes.example', 'is a parent domain of the host name of a node'],
      ['web2.nodes.example', 'is the host name of a node'],
      ['webmail.web2.nodes.example', 'is a subdomain of the host name of a node'],
    ] as const)
      expect((await add(name)).fields, name).toEqual({ name: `${reason}; only root can add it` })
    const claimed = await panel.post(`/accounts/${carol.id}/domains`, { name: 'ritans.example' }, { token: as.carol })
    expect(claimed.body.fields).toHaveProperty('name')
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    expect((await add('bob.co.uk')).domain.name).toBe('bob.co.uk')
    const own = await browser.post(`/accounts/${carol.id}/domains`, { name: 'ritans.example' })
    expect(own.status, JSON.stringify(own.body)).toBe(202)
    expect((await panel.post(`/accounts/${bob.id}/domains`, { name: 'nodes.example' })).status).toBe(202)
  })

  test('may not repeat a nameserver', async () => {
    const panel = await startPanel()
    const { id, browser } = await rita(panel, ['list-accts'])
    const refused = await browser.patch(`/resellers/${id}`, { nameservers: ['ns1.rita.example', 'ns1.rita.example'] })
    expect([refused.status, refused.body.fields]).toEqual([
      400,
      { nameservers: 'item 2: ns1.rita.example is in the list already' },
    ])
    expect((await panel.get(`/resellers/${id}`)).body.nameservers).toEqual([])
  })

  test.each(['192.0.2.1', 'ns1.shop.123', 'ns1', 'NS1.shop.example', 'ns1.shop.example.'])(
    'cannot have the nameserver %s, which is invalid in a zone',
    async (name) => {
      const panel = await startPanel()
      const { id, browser } = await rita(panel, ['list-accts', 'create-acct'])
      const refused = await browser.patch(`/resellers/${id}`, { nameservers: ['ns1.rita.example', name] })
      expect([refused.code, refused.body.fields]).toEqual([
        'validation',
        { nameservers: 'item 2: must be a lower-case host name such as ns1.shop.example' },
      ])
      expect((await panel.get(`/resellers/${id}`)).body.nameservers).toEqual([])
      expect((await browser.patch(`/resellers/${id}`, { nameservers: ['ns1.rita.example'] })).status).toBe(200)
      const made = await browser.post('/accounts', { username: 'carol', domain: 'carol.example' })
      await panel.settle()
      expect([made.status, panel.jobs()]).toEqual([202, ['account.create succeeded']])
    },
  )

  test('reaches its limit of accounts, disk and bandwidth', async () => {
    const panel = await startPanel()
    const { id, browser } = await rita(panel, ['all'])
    await panel.patch(`/resellers/${id}`, { max_accounts: 2, max_disk_mb: 3000 })
    const plan = (await browser.post('/packages', { name: 'small', disk_quota_mb: 1000 })).body
    const create = (username: string, package_id?: string) =>
      browser.post('/accounts', { username, domain: `${username}.example`, ...(package_id ? { package_id } : {}) })
    expect((await create('one')).code).toBe('limit-reached')
    expect((await create('one', plan.id)).status).toBe(202)
    expect((await create('two', plan.id)).status).toBe(202)
    expect((await create('three', plan.id)).code).toBe('limit-reached')
    await panel.patch(`/resellers/${id}`, { max_accounts: null, max_disk_mb: 2500 })
    expect((await create('three', plan.id)).code).toBe('limit-reached')
    await panel.patch(`/resellers/${id}`, { overselling: true })
    expect((await create('three', plan.id)).status).toBe(202)
    await panel.settle()
    const made = (type: string) => [type, type, type]
    expect(panel.events().sort()).toEqual([...made('account.created'), ...made('job.completed'), 'package.created'])
  })

  test('reaches its limit of disk and bandwidth by a package in use, too', async () => {
    const panel = await startPanel()
    const { id, browser } = await rita(panel, ['all'])
    const plan = (await browser.post('/packages', { name: 'small', disk_quota_mb: 1000, bw_limit_mb: 10 })).body
    const create = (username: string) =>
      browser.post('/accounts', { username, domain: `${username}.example`, package_id: plan.id })
    const [one, two] = [(await create('one')).body.account, (await create('two')).body.account]
    await panel.patch(`/resellers/${id}`, { max_disk_mb: 6000, max_bw_mb: 100 })
    await panel.settle()
    panel.forget()
    const change = async (fields: object) => {
      const { status, code, body } = await browser.patch(`/packages/${plan.id}`, fields)
      return [status, code, body.detail]
    }
    const refused = (detail: string) => [409, 'limit-reached', detail]
    const more = (what: string, max: number, expected: number) =>
      refused(`You have granted 0 of ${max} MB of ${what}; ${expected} MB more would exceed that.`)
    expect(await change({ disk_quota_mb: 3001 })).toEqual(more('disk', 6000, 6002))
    expect(await change({ bw_limit_mb: 99_999_999 })).toEqual(more('bandwidth', 100, 199_999_998))
    expect(await change({ disk_quota_mb: null })).toEqual(
      refused('You have 6000 MB of disk in total: choose a package that limits disk, or create one.'),
    )
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    expect((await change({ disk_quota_mb: 3000 }))[0]).toBe(200)
    await panel.settle()
    // Any change gives the accounts all limits of the package again.
    await browser.patch(`/accounts/${one.id}`, { disk_quota_mb: 1000 })
    await browser.patch(`/accounts/${two.id}`, { disk_quota_mb: 1000 })
    const other = (await browser.post('/packages', { name: 'other', disk_quota_mb: 4000, bw_limit_mb: 1 })).body
    const three = { username: 'three', domain: 'three.example', package_id: other.id }
    expect((await browser.post('/accounts', three)).status).toBe(202)
    await panel.settle()
    expect((await change({ max_sql: 5 }))[1]).toBe('limit-reached')
    // Lowering is possible, even while too much is granted.
    await panel.patch(`/resellers/${id}`, { max_disk_mb: 100 })
    expect((await change({ disk_quota_mb: 900 }))[0]).toBe(200)
    await panel.settle()
    expect((await panel.get(`/accounts/${one.id}`)).body.disk_quota_mb).toBe(900)
  })

  test('cannot spend what a changed package takes before its job has run', async () => {
    const panel = await startPanel()
    const { id, browser } = await rita(panel, ['all'])
    const plan = (await browser.post('/packages', { name: 'small', disk_quota_mb: 1000 })).body
    const create = (username: string, package_id: string) =>
      browser.post('/accounts', { username, domain: `${username}.example`, package_id })
    const one = (await create('one', plan.id)).body.account
    const other = (await browser.post('/packages', { name: 'other', disk_quota_mb: 5000 })).body
    await panel.patch(`/resellers/${id}`, { max_disk_mb: 6000 })
    await panel.settle()
    panel.forget()
    expect((await browser.patch(`/packages/${plan.id}`, { disk_quota_mb: 6000 })).status).toBe(200)
    expect((await create('two', other.id)).status).toBe(202)
    await panel.settle()
    expect(panel.jobs()).toContain('package.apply failed')
    expect((await panel.get(`/accounts/${one.id}`)).body.disk_quota_mb).toBe(1000)
    const [job] = (await panel.get('/jobs?kind=package.apply&order=desc')).body.items
    expect(job.error).toBe('You have granted 5000 of 6000 MB of disk; 6000 MB more would exceed that.')
  })

  test('sees its own packages and the default, and root’s with the privilege', async () => {
    const panel = await startPanel()
    const roots = (await panel.post('/packages', { name: 'gold' })).body
    const { id, browser } = await rita(panel, ['list-pkgs', 'create-acct'])
    const names = async () => (await browser.get('/packages')).body.items.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual(['default'])
    expect(
      (await browser.post('/accounts', { username: 'carol', domain: 'carol.example', package_id: roots.id })).body
        .fields,
    ).toHaveProperty('package_id')
    await panel.put(`/resellers/${id}/acl`, { acl: ['list-pkgs', 'viewglobalpackages'] })
    expect(await names()).toEqual(['default', 'gold'])
    await panel.put(`/resellers/${id}/acl`, { acl: ['add-pkg', 'list-pkgs', 'edit-pkg'] })
    expect((await browser.post('/packages', { name: 'mine' })).body.fields).toMatchObject({
      disk_quota_mb: 'needs a number, or the privilege allow-unlimited-disk-pkgs',
    })
    expect(
      (await browser.post('/packages', { name: 'mine', disk_quota_mb: 1, bw_limit_mb: 1, max_addon: 0, max_parked: 0 }))
        .status,
    ).toBe(201)
    expect(await names()).toEqual(['default', 'mine'])
    expect([panel.events(), panel.jobs()]).toEqual([['package.created'], []])
  })

  test('suspends and unsuspends a reseller with its accounts', async () => {
    const panel = await startPanel()
    const { id, browser } = await rita(panel, ['all'])
    const carol = (await browser.post('/accounts', { username: 'carol', domain: 'carol.example' })).body.account
    const dave = (await browser.post('/accounts', { username: 'dave', domain: 'dave.example' })).body.account
    await browser.post(`/accounts/${dave.id}/suspend`, { reason: 'spam' })
    await panel.settle()
    panel.forget()
    const suspended = await panel.post(`/resellers/${id}/suspend`, { reason: 'unpaid' })
    expect(suspended.body).toMatchObject({ suspended: true, suspend_reason: 'unpaid' })
    await panel.settle()
    expect(panel.events()).toEqual(['reseller.suspended', 'account.suspended', 'job.completed'])
    expect(panel.jobs()).toEqual(['account.suspend succeeded'])
    expect((await browser.get('/accounts')).code).toBe('account-suspended')
    expect((await panel.post(`/resellers/${id}/unsuspend`)).body.suspended).toBe(false)
    await panel.settle()
    expect(panel.events()).toEqual(['reseller.unsuspended', 'account.unsuspended', 'job.completed'])
    expect(panel.jobs()).toEqual(['account.unsuspend succeeded'])
    expect((await panel.get(`/accounts/${carol.id}`)).body.status).toBe('active')
    expect((await panel.get(`/accounts/${dave.id}`)).body.status).toBe('suspended')
  })

  test('cannot be removed or terminated while it owns accounts; then it can', async () => {
    const panel = await startPanel()
    const { id, browser } = await rita(panel, ['all'])
    const carol = (await browser.post('/accounts', { username: 'carol', domain: 'carol.example' })).body.account
    await panel.settle()
    expect((await panel.delete(`/resellers/${id}`)).code).toBe('in-use')
    expect((await panel.delete(`/accounts/${id}?confirm=rita`)).code).toBe('in-use')
    await browser.delete(`/accounts/${carol.id}?confirm=carol`)
    await panel.settle()
    panel.forget()
    expect((await panel.delete(`/resellers/${id}`)).status).toBe(204)
    expect([panel.events(), panel.jobs()]).toEqual([['reseller.removed'], []])
    expect((await browser.get('/accounts')).status).toBe(401)
    expect((await panel.get(`/accounts/${id}`)).body.is_reseller).toBe(false)
  })

  test('has tokens that never exceed its privileges', async () => {
    const panel = await startPanel()
    const { id, browser } = await rita(panel, ['manage-api-tokens', 'list-accts'])
    const made = await browser.post('/tokens', { name: 'billing', scopes: ['full-access'] })
    expect(made.body.token).toMatchObject({ principal_type: 'reseller', principal_id: id })
    const token = made.body.secret
    expect((await panel.get('/accounts', { token })).status).toBe(200)
    expect((await panel.post('/accounts', { username: 'x1', domain: 'x1.example' }, { token })).code).toBe('forbidden')
    expect((await panel.get('/audit', { token })).code).toBe('forbidden')
    await panel.put(`/resellers/${id}/acl`, { acl: [] })
    expect((await panel.get('/accounts', { token })).code).toBe('forbidden')
    expect((await panel.get('/tokens')).body.total).toBe(1)
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test('gets the privileges of a named list, and its changes at once', async () => {
    const panel = await startPanel()
    const list = (await panel.post('/acls', { name: 'support', acl: ['list-accts'] })).body
    const account = await panel.account('rita', { password })
    const made = await panel.post('/resellers', { account_id: account.id, acl_id: list.id })
    expect(made.body).toMatchObject({ acl: ['list-accts'], acl_id: list.id })
    await panel.put(`/acls/${list.id}`, { acl: ['passwd'] })
    expect((await panel.get(`/resellers/${account.id}`)).body.acl).toEqual(['passwd'])
    expect((await panel.delete(`/acls/${list.id}`)).code).toBe('in-use')
    expect((await panel.put(`/resellers/${account.id}/acl`, { acl: ['no-such'] })).body.fields).toHaveProperty('acl')
    expect((await panel.put(`/resellers/${account.id}/acl`, {})).body.fields).toHaveProperty('acl')
    expect([panel.events(), panel.jobs()]).toEqual([['reseller.created'], []])
  })
})

test('an account can be created as a reseller that owns itself', async () => {
  const panel = await startPanel()
  const made = await panel.post('/accounts', {
    username: 'rita',
    domain: 'rita.example',
    make_reseller: true,
    owns_itself: true,
  })
  expect(made.body.account).toMatchObject({ is_reseller: true, make_reseller: true, owner_name: 'rita' })
  expect(made.body.account.owner_id).toBe(made.body.account.id)
  await panel.settle()
  expect(panel.events()).toEqual(['reseller.created', 'account.created', 'job.completed'])
  expect(
    (await panel.post('/accounts', { username: 'sue', domain: 'sue.example', owns_itself: true })).body.fields,
  ).toHaveProperty('owns_itself')
})
