import { describe, expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

const gone = '01JZZZZZZZZZZZZZZZZZZZZZZZ'

async function withRoot(panel: TestPanel): Promise<Visitor> {
  await panel.put('/root/password', { new_password: password })
  return new Visitor(panel).signIn('root', 'admin')
}

async function started(...names: string[]) {
  const panel = await startPanel()
  const accounts = new Map<string, string>()
  for (const name of names) accounts.set(name, (await panel.account(name, { password })).id)
  const root = await withRoot(panel)
  panel.forget()
  return { panel, root, idOf: (name: string) => accounts.get(name)! }
}

describe('accounts of a server, without a script', () => {
  test('finds accounts by name, domain and status, and counts them if that is cheap', async () => {
    const { panel, root, idOf } = await started('alice', 'bob', 'carol')
    await panel.post(`/accounts/${idOf('bob')}/suspend`, {})
    await panel.settle()
    const visible = async (query: string) =>
      [...(await root.get(`/admin/accounts${query}`)).body.matchAll(/name="_item"[^>]*aria-label="Select (\w+)"/g)].map(
        ([, name]) => name,
      )
    expect(await visible('')).toEqual(['alice', 'bob', 'carol'])
    expect(await visible('?q=car')).toEqual(['carol'])
    expect(await visible('?q=bob.example')).toEqual(['bob'])
    expect(await visible('?status=suspended')).toEqual(['bob'])
    expect(await visible('?sort=username&order=desc')).toEqual(['carol', 'bob', 'alice'])
    const sorted = (await root.get('/admin/accounts?status=active&sort=username&order=desc&page=1')).body
    const [search] = /<search>[\s\S]*?<\/search>/.exec(sorted)!
    expect([...search!.matchAll(/type="hidden" name="(\w+)" value="(\w+)"/g)].map(([, ...stored]) => stored)).toEqual([
      ['sort', 'username'],
      ['order', 'desc'],
      ['status', 'active'],
    ])
    expect(await visible('?per_page=2&page=2')).toEqual(['carol'])
    expect(textOf((await root.get('/admin/accounts')).body)).toContain(
      'All Active Suspended 1 Over quota 0 Provisioning 0',
    )
    expect((await root.get('/admin/accounts?page=nothing')).status).toBe(400)
  })

  test('filters accounts by package and by owner, which are chosen on their own lists', async () => {
    const { panel, root, idOf } = await started('alice', 'bob')
    const small = (await panel.post('/packages', { name: 'small' })).body.id
    await panel.put(`/accounts/${idOf('bob')}/package`, { package_id: small })
    const rita = (await panel.account('rita', { make_reseller: true })).id
    await panel.account('carol', { owner_id: rita })
    const textAt = async (path: string) => textOf((await root.get(path)).body)
    expect(await textAt('/admin/accounts')).toContain('Provisioning 0 Importing Package: any Owner: any')
    expect((await root.get('/admin/packages')).body).toContain(`href="/admin/accounts?package_id=${small}">1</a>`)
    expect((await root.get('/admin/resellers')).body).toContain(`href="/admin/accounts?owner_id=${rita}">1</a>`)
    const visible = await root.get(`/admin/accounts?package_id=${small}&status=active`)
    expect([...visible.body.matchAll(/name="_item"[^>]*aria-label="Select (\w+)"/g)].map(([, name]) => name)).toEqual([
      'bob',
    ])
    expect(textOf(visible.body)).toContain('Package: small Owner: any')
    expect(visible.body).toContain(
      '<a href="/admin/accounts?status=active" aria-current="true">Package: <bdi>small</bdi>',
    )
    expect(visible.body).toContain(`<input type="hidden" name="package_id" value="${small}"/>`)
    expect(await textAt(`/admin/accounts?owner_id=${idOf('alice')}`)).toContain('Nothing matches. Show all')
    await panel.put(`/resellers/${rita}/acl`, { acl: ['list-accts'] })
    await panel.post(`/accounts/${rita}/password`, { new_password: password })
    const hers = await new Visitor(panel).signIn('rita', 'admin')
    expect(textOf((await hers.get('/admin/accounts')).body)).not.toContain('any')
  })

  test('renames an account, and shows it at the address of the new name', async () => {
    const { panel, root, idOf } = await started('alice')
    const page = await root.get('/admin/accounts/alice/settings')
    const saved = await root.submit(page, 'updateAccount', { username: 'alicia' })
    expect(saved.headers.get('location')).toMatch(/^\/admin\/accounts\/alicia\/settings\?done=updateAccount&job=/)
    expect((await root.follow(saved)).status).toBe(200)
    const byId = `/admin/accounts/${idOf('alice')}/settings`
    const again = await root.submit(await root.get(byId), 'updateAccount', { username: 'alina' })
    expect(again.headers.get('location')!.split('?')[0]).toBe(byId)
    await panel.settle()
  })

  test('creates an account, or refuses it with what was typed except the password', async () => {
    const { panel, root } = await started()
    const form = await root.get('/admin/accounts/new')
    const filled = { username: 'dave', domain: 'no domain', password: 'a canary of a password' }
    const refused = await root.submit(form, 'createAccount', filled)
    expect(refused.status).toBe(400)
    expect(refused.body).toContain('value="dave"')
    expect(refused.body).not.toContain('canary')
    expect(panel.jobs()).toEqual([])
    const made = await root.submit(refused, 'createAccount', { domain: 'dave.example' })
    expect(made.headers.get('location')).toMatch(/^\/admin\/accounts\/dave\?done=createAccount&job=/)
    await panel.settle()
    expect(textOf((await root.follow(made)).body)).toContain('Account created. ● Succeeded')
    expect([panel.events(), panel.jobs()]).toEqual([['account.created', 'job.completed'], ['account.create succeeded']])
  })

  test('suspends several accounts at once, each with its own outcome', async () => {
    const { panel, root, idOf } = await started('alice', 'bob', 'carol')
    await panel.post(`/accounts/${idOf('carol')}/suspend`, { reason: 'abuse', lock: true })
    await panel.settle()
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec((await root.get('/admin/accounts')).body)![1]!
    const choose = (op: string, ...names: string[]) =>
      root.post(
        '/admin/accounts',
        new URLSearchParams([
          ['csrf_token', csrf_token],
          ['do', op],
          ...names.map((name): [string, string] => ['_item', idOf(name)]),
        ]),
      )
    const requests = await choose('suspendAccount', 'alice', 'bob')
    expect(textOf(requests.body)).toContain('Suspend alice bob')
    panel.forget()
    const done = await root.submit(requests, 'suspendAccount', { reason: 'unpaid' })
    expect(textOf(done.body)).toContain('2 done, 0 refused')
    await panel.settle()
    expect(panel.events()).toEqual(['account.suspended', 'account.suspended', 'job.completed', 'job.completed'])
    expect((await choose('suspendAccount')).status).toBe(400)
  })

  test('names accounts that cannot be changed, and keeps them selected', async () => {
    const { panel, idOf } = await started('alice', 'bob')
    const { id: rita } = await panel.account('rita', { password, make_reseller: true })
    await panel.put(`/resellers/${rita}/acl`, { acl: ['list-accts', 'suspend-acct'] })
    await panel.store.change(() => void panel.store.sqlite.prepare('UPDATE accounts SET owner_id = ?').run(rita))
    for (const [name, lock] of [
      ['alice', true],
      ['bob', false],
    ] as const)
      await panel.post(`/accounts/${idOf(name)}/suspend`, { lock })
    await panel.settle()
    panel.forget()
    const visitor = await new Visitor(panel).signIn('rita', 'admin')
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec((await visitor.get('/admin/accounts')).body)![1]!
    const chosen = ['alice', 'bob'].map((name) => ['_item', idOf(name)] as [string, string])
    const received = await visitor.post(
      '/admin/accounts',
      new URLSearchParams([['csrf_token', csrf_token], ['do', 'unsuspendAccount'], ['_yes', '1'], ...chosen]),
    )
    expect(textOf(received.body)).toContain('1 done, 1 refused')
    expect(formIn(received.body, 'unsuspendAccount').fields.getAll('_item')).toEqual([idOf('alice')])
    await panel.settle()
    expect(panel.events()).toEqual(['account.unsuspended', 'job.completed'])
  })

  test('unsuspends three of five accounts of a reseller, and refuses one locked by root and one terminating', async () => {
    const names = ['anna', 'bert', 'carl', 'dora', 'emil']
    const { panel, idOf } = await started(...names)
    const { id: rita } = await panel.account('rita', { password, make_reseller: true })
    await panel.put(`/resellers/${rita}/acl`, { acl: ['list-accts', 'suspend-acct'] })
    const owned = panel.store.sqlite.prepare('UPDATE accounts SET owner_id = ? WHERE id <> ?')
    await panel.store.change(() => void owned.run(rita, rita))
    for (const name of names) await panel.post(`/accounts/${idOf(name)}/suspend`, { lock: name === 'anna' })
    await panel.settle()
    const terminating = panel.store.sqlite.prepare('UPDATE accounts SET terminating = 1 WHERE id = ?')
    await panel.store.change(() => void terminating.run(idOf('emil')))
    panel.forget()
    const visitor = await new Visitor(panel).signIn('rita', 'admin')
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec((await visitor.get('/admin/accounts')).body)![1]!
    const chosen = names.map((name) => ['_item', idOf(name)] as [string, string])
    const requests = await visitor.post(
      '/admin/accounts',
      new URLSearchParams([['csrf_token', csrf_token], ['do', 'unsuspendAccount'], ...chosen]),
    )
    expect(textOf(requests.body)).toContain('anna bert carl dora emil')
    const received = await visitor.submit(requests, 'unsuspendAccount')
    const text = textOf(received.body)
    expect(text).toContain('3 done, 2 refused')
    expect(text).toMatch(/anna ■ Refused .*root.* bert ● Done carl ● Done dora ● Done emil ■ Refused \w/)
    expect(formIn(received.body, 'unsuspendAccount').fields.getAll('_item')).toEqual([idOf('anna'), idOf('emil')])
    await panel.settle()
    expect(panel.events().filter((type) => type === 'account.unsuspended')).toHaveLength(3)
  })

  test('reports accounts that no longer exist, and changes the others', async () => {
    const { panel, root, idOf } = await started('alice', 'bob')
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec((await root.get('/admin/accounts')).body)![1]!
    const chosen = [idOf('alice'), gone, idOf('bob')].map((id) => ['_item', id] as [string, string])
    const send = (...yes: [string, string][]) =>
      root.post(
        '/admin/accounts',
        new URLSearchParams([['csrf_token', csrf_token], ['do', 'suspendAccount'], ...yes, ...chosen]),
      )
    expect(textOf((await send()).body)).toContain(`Suspend alice ${gone} bob`)
    const received = await send(['_yes', '1'])
    expect(textOf(received.body)).toContain('2 done, 1 refused')
    expect(textOf(received.body)).toContain(`${gone} ■ Refused No such account.`)
    expect(formIn(received.body, 'suspendAccount').fields.getAll('_item')).toEqual([gone])
    await panel.settle()
    expect(panel.events()).toEqual(['account.suspended', 'account.suspended', 'job.completed', 'job.completed'])
  })

  test("asks for a site's certificate from its row on the home page", async () => {
    const { panel, root } = await started('alice')
    const settings = { acme_directory_url: 'http://127.0.0.1:1/directory', autossl_default: false }
    expect((await panel.patch('/settings', settings)).status).toBe(200)
    const home = await root.get('/admin/accounts/alice')
    await panel.patch('/settings', { acme_directory_url: null })
    const reply = await root.submit(home, 'issueCertificate')
    const reason = expect.stringContaining('This server has no certificate authority')
    expect([reply.status, textOf(reply.body)]).toEqual([409, reason])
    expect(panel.jobs()).toEqual([])
  })

  test('answers a termination with a wrong name with the page and `fields.confirm`, then emits one event', async () => {
    const { panel, root, idOf } = await started('alice')
    for (let at = 1; at <= 12; at++) {
      const address = `m${at}@alice.example`
      await panel.post(`/accounts/${idOf('alice')}/email/accounts`, { address, password })
    }
    await panel.settle()
    await panel.store.change(() => void panel.store.sqlite.prepare('UPDATE accounts SET disk_used_mb = 3174').run())
    panel.forget()
    const requests = await root.get('/admin/accounts/alice/settings?do=terminateAccount')
    expect(textOf(requests.body)).toContain('12 mailboxes, 3.1 GB')
    expect(textOf(requests.body)).toContain('Type alice to confirm')
    expect(textOf(requests.body)).toContain('No backup is made first')
    expect(textOf(requests.body)).toMatch(/stays in the server's trash for \d+ days/)
    expect(requests.body).not.toContain('name="final_backup"')
    await panel.patch('/settings', { final_backup_days: 14 })
    const ending = await root.get('/admin/accounts/alice/settings?do=terminateAccount')
    expect(textOf(ending.body)).toContain('A backup is made first and kept for 14 days.')
    await panel.patch('/settings', { final_backup_days: 0 })
    panel.forget()
    const wrong = await root.submit(requests, 'terminateAccount', { confirm: 'alicia' })
    expect([wrong.status, /id="confirm-error">\s*\w/.test(wrong.body)]).toEqual([400, true])
    expect(textOf(wrong.body)).toContain('12 mailboxes, 3.1 GB')
    expect(panel.jobs()).toEqual([])
    const right = await root.submit(wrong, 'terminateAccount', { confirm: 'alice' })
    expect(right.status).toBe(303)
    await panel.settle()
    expect([panel.events(), panel.jobs()]).toEqual([
      ['account.terminated', 'job.completed'],
      ['account.terminate succeeded'],
    ])
  })

  test('manages an account as the customer: a bar says who is acting, and leads back', async () => {
    const { root } = await started('alice')
    const page = await root.get('/admin/accounts/alice')
    const link = await root.submit(page, 'loginAsAccount')
    expect(link.status).toBe(303)
    const opened = await root.get(
      new URL(link.headers.get('location')!).pathname + new URL(link.headers.get('location')!).search,
    )
    expect([opened.status, opened.headers.get('location')]).toEqual([302, '/user/'])
    const home = await root.get('/user/')
    expect(textOf(home.body)).toContain('You act as alice . Stop acting as alice')
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(home.body)![1]!
    expect(home.body).toContain('name="to" value="/admin/accounts/alice"')
    const left = await root.post('/user/logout', { csrf_token, to: '/admin/accounts/alice' })
    expect([left.status, left.headers.get('location'), left.headers.get('clear-site-data')]).toEqual([
      303,
      '/admin/accounts/alice',
      '"cache", "storage"',
    ])
    expect((await root.get('/user/')).headers.get('location')).toBe('/user/login')
    expect((await root.get('/admin/')).status).toBe(200)
  })
})

describe('changes that a customer may not make', () => {
  test('does not offer what a customer may not do, and refuses it as a page', async () => {
    const { panel } = await started('alice')
    const alice = await new Visitor(panel).signIn('alice')
    expect((await alice.get('/user/')).body).not.toContain('loginAsAccount')
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec((await alice.get('/user/')).body)![1]!
    const refused = await alice.post('/user/', { do: 'loginAsAccount', csrf_token })
    expect([refused.status, textOf(refused.body).includes('Not allowed')]).toEqual([403, true])
  })

  test('hides what needs a missing feature from the navigation', async () => {
    const { panel } = await started('alice')
    const alice = await new Visitor(panel).signIn('alice')
    expect((await alice.get('/user/')).body).toContain('href="/user/tokens"')
    const { items } = (await panel.get('/feature-lists')).body
    await panel.patch(`/feature-lists/${items[0].id}`, { features: { api_tokens: false } })
    expect((await alice.get('/user/')).body).not.toContain('href="/user/tokens"')
    const page = await alice.get('/user/tokens')
    expect([page.status, textOf(page.body).includes('Your package does not include it.')]).toEqual([403, true])
  })
})

describe('page of a change', () => {
  test('says which privilege a reseller lacks, and shows no form', async () => {
    const { panel } = await started()
    const { id } = await panel.account('rita', { password, make_reseller: true })
    await panel.put(`/resellers/${id}/acl`, { acl: ['list-accts'] })
    const rita = await new Visitor(panel).signIn('rita', 'admin')
    for (const [path, says] of [
      ['/admin/packages/new', 'This needs the privilege add-pkg.'],
      ['/admin/accounts/new', 'This needs the privilege create-acct.'],
      ['/admin/resellers/new', 'A reseller may not do this.'],
    ] as const) {
      const page = await rita.get(path)
      expect([path, page.status, textOf(page.body).includes(says)]).toEqual([path, 403, true])
      expect(page.body).not.toContain('id="say"')
    }
    await panel.put(`/resellers/${id}/acl`, { acl: ['list-accts', 'create-acct'] })
    expect((await rita.get('/admin/accounts/new')).status).toBe(200)
  })

  test('offers no field that only root may set', async () => {
    const { panel, root } = await started()
    const { id } = await panel.account('rita', { password, make_reseller: true })
    await panel.put(`/resellers/${id}/acl`, { acl: ['list-accts', 'create-acct'] })
    const rita = await new Visitor(panel).signIn('rita', 'admin')
    const fieldsFor = async (visitor: Visitor) =>
      [...formIn((await visitor.get('/admin/accounts/new')).body, 'createAccount').fields.keys()].filter((name) =>
        ['username', 'owner_id', 'make_reseller'].includes(name),
      )
    expect(await fieldsFor(rita)).toEqual(['username'])
    expect(await fieldsFor(root)).toContain('owner_id')
  })

  test('says that a feature is off', async () => {
    const { panel } = await started('alice')
    const alice = await new Visitor(panel).signIn('alice')
    const { items } = (await panel.get('/feature-lists')).body
    await panel.patch(`/feature-lists/${items[0].id}`, { features: { cron: false } })
    const page = await alice.get('/user/cron/new')
    expect([page.status, textOf(page.body).includes('The feature cron is turned off')]).toEqual([403, true])
  })
})

test('a secret is shown once, on a page that is not cached', async () => {
  const { panel } = await started('alice')
  const alice = await new Visitor(panel).signIn('alice')
  const form = await alice.get('/user/tokens/new')
  const made = await alice.submit(form, 'createTokenForAccount', { name: 'script', scopes: 'read-only' })
  expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(made.body).toMatch(/pnl_[0-9A-Za-z]{40}/)
  expect(textOf(made.body)).toContain('This is shown only now.')
  expect(textOf((await alice.get('/user/tokens')).body)).toMatch(/script pnl_\w{8} read-only/)
})

test('sensitive changes ask for the password again, and continue with what was typed', async () => {
  const { panel } = await started('alice')
  const alice = await new Visitor(panel).signIn('alice')
  panel.clock.jump(16 * 60_000)
  const form = await alice.get('/user/tokens/new')
  const filled = { name: 'script', scopes: 'read-only' }
  const requests = await alice.submit(form, 'createTokenForAccount', filled)
  expect([requests.status, textOf(requests.body).includes('Type your password to continue')]).toEqual([403, true])
  expect(requests.body).not.toMatch(/type="(checkbox|radio|text)"/)
  expect(textOf(requests.body)).not.toContain('Expires')
  const wrong = await alice.submit(requests, 'createTokenForAccount', { _password: 'a guess' })
  expect([wrong.status, textOf(wrong.body).includes('is wrong')]).toEqual([400, true])
  const made = await alice.submit(wrong, 'createTokenForAccount', { _password: password })
  expect(made.body).toMatch(/pnl_[0-9A-Za-z]{40}/)
})
