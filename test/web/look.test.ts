import { expect, test } from 'vitest'
import { browserIn } from '../../src/areas/sessions/views/user-agent.ts'
import { plainCell } from '../../src/cli/output/cells.ts'
import type { HostDriver } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { withPrograms } from '../drivers.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { certificate } from '../ssl/openssl.ts'
import { password, textOf, Visitor } from './visitor.ts'

async function withRoot(): Promise<{ panel: TestPanel; root: Visitor; id: string }> {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  await panel.patch(`/accounts/${id}`, { disk_quota_mb: 2000 })
  await panel.settle()
  await panel.put('/root/password', { new_password: password })
  return { panel, root: await new Visitor(panel).signIn('root', 'admin'), id }
}

test('the audit trail says what changed, and is filtered by person, account and date', async () => {
  const { panel, root, id } = await withRoot()
  await panel.patch(`/accounts/${id}`, { disk_quota_mb: 3000 })
  const all = textOf((await root.get('/admin/audit')).body)
  expect(all).toContain('disk quota 2000 → 3000 MB')
  const rows = async (query: string): Promise<number> =>
    (await root.get(`/admin/audit?operation=updateAccount&${query}`)).body.split('→ <bdi').length - 1
  expect(await rows('actor=root&username=alice')).toBe(1)
  expect([await rows('actor=alice'), await rows('username=bob')]).toEqual([0, 0])
  const today = new Date(panel.clock.now()).toISOString().slice(0, 10)
  expect([await rows(`since=${today}&until=${today}`), await rows('until=2020-01-01')]).toEqual([1, 0])
  expect((await root.get('/admin/audit?since=nonsense')).status).toBe(200)
})

test('the audit trail does not take the way of a zone import for permissions of a file', async () => {
  const { panel, root, id } = await withRoot()
  const [zone] = (await panel.get(`/accounts/${id}/dns/zones`)).body.items
  const zone_file = 'www2 3600 IN A 192.0.2.7\n'
  await panel.post(`/accounts/${id}/dns/zones/${zone.id}/import`, { zone_file, mode: 'merge' })
  await panel.settle()
  const text = textOf((await root.get('/admin/audit?operation=importDnsZone')).body)
  expect(text).toMatch(/how merge ; created 1/)
})

test('the audit trail names what was changed', async () => {
  const { panel, root, id } = await withRoot()
  const [zone] = (await panel.get(`/accounts/${id}/dns/zones`)).body.items
  const records = `/accounts/${id}/dns/zones/${zone.id}/records`
  await panel.post(`/accounts/${id}/dns/zones/${zone.id}/changes`, {
    create: [{ name: 'shop', type: 'A', value: '192.0.2.7' }],
  })
  await panel.settle()
  const shop = (await panel.get(records)).body.items.find(({ name }: Json) => name === 'shop')
  await panel.patch(`${records}/${shop.id}`, { value: '192.0.2.8' })
  await panel.settle()
  const ftp = await panel.post(`/accounts/${id}/ftp/accounts`, { login: 'deploy@alice.example', password })
  await panel.settle()
  await panel.patch(`/accounts/${id}/ftp/accounts/${ftp.body.ftp_account.id}`, { quota_mb: 100 })
  await panel.settle()
  const text = textOf((await root.get('/admin/audit')).body)
  expect(text).toMatch(/zone alice\.example ; records shop A/)
  expect(text).toMatch(/shop A value 192\.0\.2\.7 → 192\.0\.2\.8/)
  expect(text).toMatch(/deploy@alice\.example .*quota .*100 MB/)
})

test('what needs attention is named once', async () => {
  const { panel, root } = await withRoot()
  const { id } = await panel.account('bob', { unverified: true })
  await panel.settle()
  await panel.post(`/accounts/${id}/email/accounts`, { address: 'info@bob.example', password })
  const text = textOf((await root.get('/admin/')).body)
  expect(text).toContain('bob.example is not verified')
  expect(text).not.toContain('bob.example bob.example')
})

test('details of a row are a row of their own below it', async () => {
  const { panel, root } = await withRoot()
  const [entry] = (await panel.get('/audit?order=desc')).body.items
  const { body } = await root.get(`/admin/audit?json=${entry.id}`)
  expect(body).toMatch(/<tr><td class="below" colspan="7"><details class="json"/)
})

test('above each page of an account: the way back, what is done most, and why it is suspended', async () => {
  const { panel, root, id } = await withRoot()
  await panel.post(`/accounts/${id}/suspend`, { reason: 'Invoice 1018 unpaid' })
  await panel.settle()
  const { body } = await root.get('/admin/accounts/alice/email')
  const text = textOf(body)
  expect(text).toMatch(/Accounts alice Mailboxes/)
  expect(body).toContain('href="/admin/accounts/alice"')
  expect(text).toContain('Account alice ■ Suspended now by root: Invoice 1018 unpaid Unsuspend Package Password')
  const back = await root.submit(await root.get('/admin/accounts/alice/unsuspend'), 'unsuspendAccount')
  expect(back.headers.get('location')).toMatch(/^\/admin\/accounts\/alice\?done=unsuspendAccount/)
  const redirected = await root.submit(await root.get('/admin/accounts/alice/suspend'), 'suspendAccount', {
    reason: 'again',
  })
  expect(redirected.status).toBe(303)
  panel.events()
})

test("root's home opens with the server's health, and leads to a new account", async () => {
  const { root } = await withRoot()
  const text = textOf((await root.get('/admin/')).body)
  for (const word of [
    'Load',
    'Memory',
    'Disk',
    'Trial: no services',
    'No certificate is due',
    'Last backup',
    'panel 0.',
  ])
    expect(text).toContain(word)
  expect(text).toContain('Create an account')
})

test('the health of a machine with a mail server names its queue, as a warning if it is long', async () => {
  const machine = { queuedMail: 7 }
  const inspect = async () => ({
    system: 'Debian 13',
    services: [],
    unenforced: [],
    quota: 'none',
    cgroup: 2,
    ...machine,
  })
  const driver = (root: string) =>
    Object.assign(createDirectoryDriver({ root }), {
      kind: 'debian' as const,
      inspect: inspect as HostDriver['inspect'],
    })
  const panel = await startPanel({ debian: true, driver })
  await panel.put('/root/password', { new_password: password })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const home = async () => textOf((await root.get('/admin/')).body)
  expect(await home()).toContain('● Mail queue: 7')
  machine.queuedMail = 501
  expect(await home()).toContain('▲ Mail queue: 501')
})

test('what needs attention links to the log of the job', async () => {
  const { panel, root, id } = await withRoot()
  await panel.store.change(() => {
    panel.store.sqlite.prepare("UPDATE jobs SET status = 'failed', error = 'gone' WHERE account_id = ?").run(id)
  })
  const { items } = (await panel.get('/notices')).body
  expect(items.length).toBeGreaterThan(0)
  expect((await root.get('/admin/')).body).toContain(`href="/admin/jobs/${items[0].object_id}"`)
})

test('a self-signed certificate is nowhere valid, and one press asks for another', async () => {
  const { panel } = await withRoot()
  await panel.patch('/settings', { acme_directory_url: 'http://127.0.0.1:1/directory', autossl_default: false })
  const alice = await new Visitor(panel).signIn('alice')
  for (const path of ['/user/', '/user/domains', '/user/domains/alice.example']) {
    const text = textOf((await alice.get(path)).body)
    expect([path, text.includes('Self-signed'), text.includes('● Valid')]).toEqual([path, true, false])
  }
  expect((await alice.get('/user/')).body).toContain('action="/user/ssl/issue"')
})

test("a customer's home says where to connect, and leads to files and visitors", async () => {
  const { panel } = await withRoot()
  const alice = await new Visitor(panel).signIn('alice')
  const { body } = await alice.get('/user/')
  for (const word of ['Name servers', 'FTP', 'IMAP', 'host.example:993']) expect(textOf(body)).toContain(word)
  for (const path of ['/user/files/sites/alice.example/public', '/user/visitors/alice.example'])
    expect([path, body.includes(`href="${path}"`), (await alice.get(path)).status]).toEqual([path, true, 200])
})

test('webmail and phpMyAdmin are offered only where the host has them', async () => {
  const openProgram = async () => ({ token: 'T'.repeat(43) })
  const driver = (root: string) => withPrograms(createDirectoryDriver({ root }), openProgram)
  const pages = ['/user/', '/user/email/info@alice.example', '/user/mysql/alice_shop']
  for (const [options, offered] of [
    [{}, false],
    [{ driver }, true],
  ] as const) {
    const panel = await startPanel(options)
    const { id } = await panel.account('alice', { password })
    await panel.post(`/accounts/${id}/email/accounts`, { address: 'info@alice.example', password })
    await panel.post(`/accounts/${id}/mysql/databases`, { name: 'shop' })
    await panel.settle()
    const alice = await new Visitor(panel).signIn('alice')
    const texts: string[] = []
    for (const page of pages) texts.push(textOf((await alice.get(page)).body))
    const [home = '', mailbox = '', database = ''] = texts
    expect([home.includes('Choose a mailbox'), home.includes('Choose a database')]).toEqual([offered, offered])
    expect([mailbox.includes('Open webmail'), database.includes('Open phpMyAdmin')]).toEqual([offered, offered])
    const { items } = (await panel.get(`/accounts/${id}/features`)).body
    const missing = items.filter(({ available }: Json) => available === false).map(({ name }: Json) => name)
    expect(missing).toEqual(offered ? [] : ['webmail', 'phpmyadmin'])
  }
})

test('forms show the few fields that matter, others under more options, and common cases fill them in', async () => {
  const { root } = await withRoot()
  const { body } = await root.get('/admin/accounts/new')
  const [first = '', more = ''] = body.split('<details class="more">')
  for (const name of ['username', 'domain', 'password']) expect(first).toContain(`name="${name}"`)
  for (const name of ['cgi', 'node']) expect([name, first.includes(`name="${name}"`)]).toEqual([name, false])
  expect(more).toContain('name="cgi"')
  const page = await root.get('/admin/packages/new')
  const [, href = ''] = /href="([^"]+disk_quota_mb=10000[^"]*)"/.exec(page.body)!
  const shop = await root.get(href.replaceAll('&amp;', '&'))
  expect(shop.body).toMatch(/name="disk_quota_mb"[^>]*value="10000"/)
  const made = await root.submit(shop, 'createPackage')
  expect(made.status).toBe(303)
})

test('a common case of a form leaves what it does not name as it was', async () => {
  const { panel, root } = await withRoot()
  const alice = await new Visitor(panel).signIn('alice')
  const checked = (body: string): string[] =>
    [...body.matchAll(/name="(\w+)" type="checkbox" value="true" checked/g)].map(([, name]) => name!)
  for (const [visitor, path] of [
    [alice, '/user/cron/new'],
    [root, '/admin/packages/new'],
  ] as const) {
    const page = await visitor.get(path)
    const [, href = ''] = /href="([^"]+\?do=create[^"]*)"/.exec(page.body)!
    const preset = await visitor.get(href.replaceAll('&amp;', '&'))
    expect([path, checked(preset.body)]).toEqual([path, checked(page.body)])
  }
  const page = await alice.get('/user/cron/new?do=createCronJob&schedule=%40hourly')
  await alice.submit(page, 'createCronJob', { command: 'true' })
  const { items } = (await panel.get(`/accounts/${(await panel.get('/accounts')).body.items[0].id}/cron/jobs`)).body
  expect(items).toMatchObject([{ schedule: '@hourly', enabled: true, mail: true }])
  await panel.settle()
})

test('a limit is shown as it was typed', async () => {
  const { panel, root, id } = await withRoot()
  await panel.patch(`/accounts/${id}`, { disk_quota_mb: 3000 })
  const text = textOf((await root.get('/admin/accounts')).body)
  expect([text.includes('3,000 MB'), text.includes('2.9 GB')]).toEqual([true, false])
})

test('a reseller with limits in total is offered packages that it can grant, and told if there are none', async () => {
  const { panel } = await withRoot()
  const rita = await panel.account('rita', { password, make_reseller: true })
  await panel.patch(`/resellers/${rita.id}`, { max_disk_mb: 6000 })
  await panel.put(`/resellers/${rita.id}/acl`, { acl: ['all'] })
  const visitor = await new Visitor(panel).signIn('rita', 'admin')
  expect(textOf((await visitor.get('/admin/accounts/new')).body)).toContain('Your accounts need a package with limits')
  await visitor.submit(await visitor.get('/admin/packages/new'), 'createPackage', {
    name: 'small',
    disk_quota_mb: '500',
  })
  const page = await visitor.get('/admin/accounts/new')
  const [, select = ''] = /<select[^>]*name="package_id"[^>]*>([\s\S]*?)<\/select>/.exec(page.body)!
  expect(select.match(/<option/g)).toHaveLength(1)
  expect(select).toContain('small')
  const made = await visitor.submit(page, 'createAccount', { username: 'zoe', domain: 'zoe.example', password })
  expect(made.headers.get('location')).toMatch(/^\/admin\/accounts\/zoe\?done=createAccount/)
  await panel.settle()
})

test('the list of accounts finds parts of names, of all domains and of contacts', async () => {
  const { panel, root, id } = await withRoot()
  await panel.post(`/accounts/${id}/domains`, { name: 'second-shop.example', kind: 'addon' })
  await panel.patch(`/accounts/${id}`, { contact_email: 'owner@elsewhere.net' })
  await panel.settle()
  for (const q of ['lic', 'nd-shop', 'wner@else'])
    expect([q, (await root.get(`/admin/accounts?q=${q}`)).body.includes('aria-label="Select alice"')]).toEqual([
      q,
      true,
    ])
  expect(textOf((await root.get('/admin/accounts?q=nobody')).body)).toContain('Nothing matches')
})

test('a package shows its limits, also those that it does not set', async () => {
  const { root } = await withRoot()
  const text = textOf((await root.get('/admin/packages/default')).body)
  expect(text).toMatch(/Limits Traffic limit unlimited Disk quota unlimited/)
})

test('what the spam filter does now is what its form says', async () => {
  const { panel } = await withRoot()
  const alice = await new Visitor(panel).signIn('alice')
  const { body } = await alice.get('/user/email/spam')
  expect(body.match(/name="enabled"[^>]*checked/g)).toHaveLength(2)
})

test('a self-signed certificate is not valid on its own page either', async () => {
  const { panel, id } = await withRoot()
  const [certificate] = (await panel.get(`/accounts/${id}/ssl/certificates`)).body.items
  const alice = await new Visitor(panel).signIn('alice')
  const text = textOf((await alice.get(`/user/ssl/${certificate.id}`)).body)
  expect([text.includes('▲ Self-signed'), text.includes('● Valid')]).toEqual([true, false])
})

test('a certificate without a known authority is not valid on any page, and the command line says untrusted', async () => {
  const { panel, id } = await withRoot()
  const [{ id: domain_id }] = (await panel.get(`/accounts/${id}/domains`)).body.items
  const made = certificate({ subject: '/CN=alice.example', names: ['alice.example'] })
  const body = { domain_id, certificate: made.certificate, private_key: made.key }
  const installed = await panel.post(`/accounts/${id}/ssl/certificates`, body)
  expect([installed.status, installed.body.certificate?.trusted]).toEqual([202, false])
  const alice = await new Visitor(panel).signIn('alice')
  for (const path of [
    '/user/',
    '/user/domains',
    '/user/domains/alice.example',
    '/user/ssl',
    '/user/ssl/alice.example',
  ]) {
    const text = textOf((await alice.get(path)).body)
    expect([path, text.includes('▲ Untrusted'), /● (Valid|until)/.test(text)]).toEqual([path, true, false])
  }
  const domain = (await panel.get(`/accounts/${id}/domains/${domain_id}`)).body
  expect(plainCell({ field: 'certificate.status' }, domain)).toBe('untrusted')
})

test('sessions are named by browser and system', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
  const edge =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0'
  const iphone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile Safari/604.1'
  const all = [firefox, edge, iphone, 'curl/8.5', '<script>'].map((agent) => browserIn(agent).join(' · '))
  expect(all).toEqual(['Firefox · Linux', 'Edge · Windows', 'Safari · iOS', 'curl', '<script>'])
})
