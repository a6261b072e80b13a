import { expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

// Pages offer what is possible, and say why something is not.

async function withCarol(): Promise<{ panel: TestPanel; root: Visitor; carol: Visitor; id: string }> {
  const panel = await startPanel()
  const { id } = await panel.account('carol', { password })
  await panel.put('/root/password', { new_password: password })
  const root = await new Visitor(panel).signIn('root', 'admin')
  return { panel, root, id, carol: await new Visitor(panel).signIn('carol') }
}

test('a trial says so on the home page and on that of the host', async () => {
  const { root } = await withCarol()
  const home = textOf((await root.get('/admin/')).body)
  expect(home).toContain('Trial: no services')
  expect(home).not.toContain('Services run')
  const host = textOf((await root.get('/admin/host')).body)
  expect(host).toMatch(/Host .*Trial .*Web, mail and databases are not served\./)
  expect(host).not.toContain('Running')
})

test('the license says until when it is valid', async () => {
  const { panel, root } = await withCarol()
  const lead = async () => textOf((await root.get('/admin/license')).body)
  expect(await lead()).toMatch(/Valid It does not expire, as no date is set\./)
  const valid_until = panel.clock.now() + 86_400_000
  await panel.put('/license', { valid_until })
  expect(await lead()).toMatch(/Valid until \w{3} \d+, \d{4} ?\. After its end every change is refused\./)
  await panel.put('/license', { valid_until: panel.clock.now() - 1 })
  expect(await lead()).toMatch(/Expired Expired on /)
})

test('a new domain cannot be a main domain', async () => {
  const { panel, carol, id } = await withCarol()
  const form = (await carol.get('/user/domains/new')).body
  expect(form).toContain('value="parked"')
  expect(form).not.toContain('value="main"')
  const refused = await panel.post(`/accounts/${id}/domains`, { name: 'second.example', kind: 'main' })
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, ['kind']])
})

test('emails that are always sent cannot be switched off', async () => {
  const { panel, carol, id } = await withCarol()
  const form = (await carol.get('/user/notification-preferences')).body
  expect(form).toContain('value="digest"')
  expect(form).not.toMatch(/value="(welcome|suspended)"/)
  const refused = await panel.put(`/accounts/${id}/notification-preferences`, { off: ['welcome'] })
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, ['off']])
  expect((await panel.put(`/accounts/${id}/notification-preferences`, { off: ['digest'] })).status).toBe(200)
})

test('a ticked email is sent, and one without a tick is not', async () => {
  const { panel, carol, id } = await withCarol()
  const page = await carol.get('/user/notification-preferences')
  const ticked = (body: string) => [...body.matchAll(/name="on" value="([a-z-]+)" checked/g)].map(([, kind]) => kind)
  expect(ticked(page.body)).toEqual(['quota', 'certificate-failed', 'backup-failed', 'unsuspended', 'digest'])
  const sent = await carol.submit(page, 'setNotificationPreferences', { on: 'quota' })
  expect(ticked((await carol.follow(sent)).body)).toEqual(['quota'])
  const { body } = await panel.get(`/accounts/${id}/notification-preferences`)
  expect(body.off).toEqual(['certificate-failed', 'backup-failed', 'unsuspended', 'digest'])
})

test('each weak point has a button that leads to its fix', async () => {
  const { panel, root, carol } = await withCarol()
  await panel.post('/tokens', { name: 'billing', scopes: ['full-access'] })
  const buttons = ({ body }: { body: string }) =>
    [...body.matchAll(/<td class="act"><a class="button" href="([^"]+)">([^<]+)/g)].map(([, to, label]) => [
      label,
      to!.replace(/[0-9A-Z]{26}/, 'ID').replaceAll('&amp;', '&'),
    ])
  expect(buttons(await carol.get('/user/security'))).toEqual([
    ['Set up two-factor sign-in', '/user/me'],
    ['Install a certificate', '/user/ssl/new'],
  ])
  await panel.patch('/settings', { acme_directory_url: 'http://127.0.0.1:1/directory', autossl_default: false })
  expect(buttons(await carol.get('/user/security'))).toContainEqual([
    'Issue certificate',
    '/user/ssl/issue?do=issueCertificate&domain_id=ID',
  ])
  const forRoot = buttons(await root.get('/admin/security'))
  expect(forRoot).toContainEqual(['Open the token', '/admin/tokens/ID'])
  expect(forRoot).toContainEqual([
    'Require a second factor',
    '/admin/settings?do=updateSettings&two_factor_required=admins',
  ])
  for (const [, to] of [...forRoot, ...buttons(await carol.get('/user/security'))])
    if (!to!.includes('ID')) expect((await (to!.startsWith('/admin') ? root : carol).get(to!)).status).toBe(200)
})

test('without a login shell there is nothing to switch on, and the page says who can give one', async () => {
  const { panel, root, carol, id } = await withCarol()
  const page = await carol.get('/user/ssh')
  expect(textOf(page.body)).toContain('Your account has no login shell')
  expect(page.body).not.toContain('form-updateSsh')
  const forRoot = (await root.get('/admin/accounts/carol/ssh')).body
  const [, manage = ''] = /href="([^"]+)"[^>]*>Change the login shell/.exec(forRoot)!
  const [at = '', field] = manage.split('#')
  expect((await root.get(at)).body).toMatch(new RegExp(`id="${field}"[^>]*>[^]*name="shell"`))
  await panel.patch(`/accounts/${id}`, { shell: '/bin/bash' })
  await panel.settle()
  expect((await carol.get('/user/ssh')).body).toContain('form-updateSsh')
})

test('a reseller is made with limits and the privileges of a preset, which are listed apart', async () => {
  const { panel, root, id } = await withCarol()
  const page = await root.get('/admin/resellers/new')
  const [main = '', more = ''] = page.body
    .slice(page.body.indexOf('id="form-createReseller"'))
    .split('<details class="more">')
  expect(main).toMatch(/max_accounts[\s\S]*max_disk_mb[\s\S]*max_bw_mb/)
  expect([main.includes('name="acl"'), more.includes('name="acl"')]).toEqual([false, true])
  expect(more).toMatch(/value="create-acct" checked/)
  expect(more).not.toMatch(/value="all" checked/)
  await root.submit(page, 'createReseller', { account_id: id, max_accounts: '10', max_disk_mb: '20000' })
  const { body } = await panel.get(`/resellers/${id}`)
  expect(body).toMatchObject({ max_accounts: 10, max_disk_mb: 20_000, disk_granted_mb: 0 })
  expect(body.max_bw_mb).toBeUndefined()
  expect(panel.events()).toEqual(['reseller.created'])
  const fromList = (await root.get('/admin/resellers/new?do=createReseller&acl=')).body
  expect(fromList).not.toMatch(/value="create-acct" checked/)
  expect(fromList.split('<details class="more">')[0]).toContain('name="acl_id"')
})

test('the home page of a reseller says what is granted of the limits', async () => {
  const { panel, id } = await withCarol()
  await panel.post('/resellers', { account_id: id, acl: ['list-accts'], max_disk_mb: 20_000 })
  const small = await panel.post('/packages', { name: 'small', disk_quota_mb: 500, bw_limit_mb: 4000 })
  await panel.account('dora', { owner_id: id, package_id: small.body.id })
  const reseller = await new Visitor(panel).signIn('carol', 'admin')
  const home = (await reseller.get('/admin/')).body
  expect(textOf(home)).toMatch(/Disk granted 500 MB of 20,000 MB [\s\S]*Traffic granted 4,000 MB unlimited/)
  expect(home).toMatch(/<details class="card"><summary>What you may do/)
})

test('the schedule of backups is a form only for those who may change it', async () => {
  const { root, carol } = await withCarol()
  expect(textOf((await carol.get('/user/backups/schedule')).body)).toContain('Your package sets when backups are made.')
  const forRoot = (await root.get('/admin/accounts/carol/backups/schedule')).body
  expect(textOf(forRoot)).toContain('Empty fields follow the package of the account.')
  expect(forRoot).toContain('form-setBackupSchedule')
})

test('the text of a certificate keeps its lines', async () => {
  const { panel, carol, id } = await withCarol()
  const [domain] = (await panel.get(`/accounts/${id}/domains`)).body.items
  const page = (await carol.get(`/user/ssl/${domain.name}`)).body
  expect(page).toMatch(/<pre[^>]*>-----BEGIN CERTIFICATE-----\n[\w+/=\n]+\n-----END CERTIFICATE-----<\/pre>/)
})

test('the form for another package begins with the one that the account has', async () => {
  const { panel, root, id } = await withCarol()
  const shops = (await panel.post('/packages', { name: 'shops', disk_quota_mb: 2000, max_email: 10 })).body.id as string
  await panel.put(`/accounts/${id}/package`, { package_id: shops })
  await panel.settle()
  const page = await root.get('/admin/accounts/carol/package')
  const form = page.body
  const [, options = ''] = /<select[^>]*name="package_id"[^>]*>(.*?)<\/select>/s.exec(form)!
  expect(options.match(/<option[^>]*selected[^>]*>[^<]*/g)).toEqual([
    expect.stringMatching(/>shops \(Disk quota: 2,000 MB, Mailboxes: 10, Databases: unlimited\)$/),
  ])
  expect(textOf(form)).toContain('panel accounts set-package carol shops')
})

test('a new zone is offered for domains that can have one and have none', async () => {
  const { panel, carol, id } = await withCarol()
  await panel.post(`/accounts/${id}/domains`, { name: 'blog.carol.example', kind: 'sub' })
  await panel.settle()
  expect(textOf((await carol.get('/user/dns/new')).body)).toContain('All domains have a zone')
  const isOffered = async () => (await carol.get('/user/dns')).body.includes('href="/user/dns/new"')
  expect(await isOffered()).toBe(false)
  const { items } = (await panel.get(`/accounts/${id}/dns/zones`)).body
  await panel.delete(`/accounts/${id}/dns/zones/${items[0].id}`)
  await panel.settle()
  await panel.post(`/accounts/${id}/dns/zones`, { domain_id: items[0].domain_id })
  await panel.post(`/accounts/${id}/domains`, { name: 'zz.example', kind: 'addon' })
  await panel.settle()
  const { items: zones } = (await panel.get(`/accounts/${id}/dns/zones`)).body
  const last = zones.find(({ name }: Json) => name === 'zz.example')
  await panel.delete(`/accounts/${id}/dns/zones/${last.id}`)
  await panel.settle()
  expect(await isOffered()).toBe(true)
  const form = (await carol.get('/user/dns/new')).body
  expect(textOf(form)).toContain('panel dns create --domain zz.example')
  expect(form).toMatch(/<option[^>]*>zz\.example/)
  expect(form).not.toMatch(/<option[^>]*>carol\.example/)
  expect(form).not.toMatch(/<option[^>]*>blog\.carol\.example/)
})

test('the form of a relay begins with all mail of the server, and asks for the username on one line', async () => {
  const { panel, root, id } = await withCarol()
  const page = await root.get('/admin/smtp-relays/new')
  expect(page.body).toMatch(/name="for" value="server" checked/)
  expect(textOf(page.body)).toMatch(/For Chosen below The whole server/)
  expect(page.body).toMatch(/<input[^>]*name="username"/)
  expect(page.body.split('<details class="more">')[0]).toMatch(/name="for\.accounts"[\s\S]*name="for\.domains"/)
  expect(textOf(page.body)).not.toContain('25, 465, 587 or 2525')
  expect(textOf(page.body)).toContain('--for server')
  const relay = { name: 'ses', host: 'smtp.example.net', port: '587', tls: 'starttls' }
  const chosen = { ...relay, for: '', 'for.accounts': 'carol' }
  expect((await root.submit(page, 'createSmtpRelay', chosen)).status).toBe(303)
  expect((await panel.get('/smtp-relays')).body.items).toMatchObject([{ for: { accounts: [id] } }])
})

test('a place for backups is changed with the fields of its type', async () => {
  const { panel, root } = await withCarol()
  const { items } = (await panel.get('/backup-destinations')).body
  const page = (await root.get(`/admin/backup-destinations/${items[0].id}`)).body
  expect(page).toContain('name="name"')
  expect(page).not.toMatch(/name="(endpoint|bucket|access_key|host|host_key)"/)
})

test('the days of an autoresponder are chosen from a calendar', async () => {
  const { panel, carol, id } = await withCarol()
  await panel.post(`/accounts/${id}/email/accounts`, { address: 'info@carol.example', password })
  await panel.settle()
  const at = '/user/email/info@carol.example/autoresponder'
  const page = await carol.get(at)
  expect(textOf(page.body)).toContain('Autoresponder info@carol.example · Nothing is answered yet.')
  expect(page.body.match(/<input[^>]*type="date"/g)).toHaveLength(2)
  const typed = { subject: 'Away', body: 'Soon.', starts_on: '2031-12-24', ends_on: '2031-12-31' }
  expect((await carol.submit(page, 'setAutoresponder', typed)).status).toBe(303)
  expect((await carol.get(at)).body).toMatch(/value="2031-12-31"/)
})

test('the button beside a site asks for its certificate', async () => {
  const { panel, carol } = await withCarol()
  await panel.patch('/settings', { acme_directory_url: 'http://127.0.0.1:1/directory', autossl_default: false })
  const home = (await carol.get('/user/')).body
  const [, domain = ''] = /name="domain_id" value="([0-9A-Z]{26})"/.exec(home)!
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(home)![1]!
  const reply = await carol.post('/user/ssl/issue', { do: 'issueCertificate', csrf_token, domain_id: domain })
  expect([reply.status, textOf(reply.body)]).toEqual([303, ''])
})

test('lifting a ban has a page, and is no button of each weak point', async () => {
  const { carol } = await withCarol()
  expect((await carol.get('/user/security')).body).not.toContain('liftBanForAccount')
  const page = await carol.get('/user/security/ban')
  expect([page.status, textOf(page.body)]).toEqual([200, expect.stringContaining('Lift a ban')])
})

test('a token has full access, reads all, or has what is chosen for each area', async () => {
  const { panel, carol, id } = await withCarol()
  const page = await carol.get('/user/tokens/new')
  const options = [...page.body.matchAll(/<option value="dns:[a-z]+">([^<]+)/g)].map(([, label]) => label)
  expect(options).toEqual(['Read', 'Read and write'])
  expect(page.body).toMatch(/name="expires_in" value="never" checked/)
  expect(page.body).not.toContain('Default')
  const none = await carol.submit(page, 'createTokenForAccount', { name: 'none', scopes: '' })
  expect(none.status).toBe(400)
  await carol.submit(page, 'createTokenForAccount', { name: 'dns', scopes: 'dns:write' })
  await carol.submit(page, 'createTokenForAccount', { name: 'all', scopes: 'full-access', expires_in: '30d' })
  const { items } = (await panel.get(`/accounts/${id}/tokens`)).body
  expect(items.map(({ name, scopes, expires_at = 0 }: Json) => [name, scopes, expires_at > 0])).toEqual([
    ['dns', ['dns:write'], false],
    ['all', ['full-access'], true],
  ])
})

test('the page of a package shows the default of a limit that is not set', async () => {
  const { root } = await withCarol()
  const page = textOf((await root.get('/admin/packages/default')).body)
  expect(page).toContain('50 by default')
  expect(page).toMatch(/512 MB by default/)
})

const tickedIn = (body: string, name: string) =>
  [...body.matchAll(new RegExp(`type="checkbox" name="${name}" value="([^"]+)" checked`, 'g'))].map(
    ([, value]) => value,
  )

test('events of a webhook are ticked by group; other types are typed, and the refusal names the nearest', async () => {
  const { panel, root, carol, id } = await withCarol()
  const form = await root.get('/admin/webhooks/new')
  const offered = [...form.body.matchAll(/type="checkbox" name="events" value="([^"]+)"/g)].map(([, value]) => value)
  expect([offered[0], offered.includes('reseller.*')]).toEqual(['*', true])
  expect(form.body).toContain('<a href="/docs#events-list">All event types</a>')
  const own = (await carol.get('/user/webhooks/new')).body
  expect([own.includes('value="dns.*"'), own.includes('value="reseller.*"')]).toEqual([true, false])
  const url = 'https://hooks.example/panel'
  const wrong = await root.submit(form, 'createWebhook', { url, events: 'account.create' })
  expect([wrong.status, textOf(wrong.body).includes('did you mean account.created')]).toEqual([422, true])
  const both = new URLSearchParams(formIn(form.body, 'createWebhook').fields)
  both.set('url', url)
  both.delete('events')
  for (const one of ['dns.*', 'job.*', 'account.create']) both.append('events', one)
  const again = (await root.post('/admin/webhooks/new', both)).body
  expect(tickedIn(again, 'events')).toEqual(['dns.*', 'job.*'])
  const made = await root.submit(form, 'createWebhook', { url, events: 'dns.*\r\naccount.created\r\njob.*' })
  expect(made.status).toBe(200)
  const events = async () => (await panel.get('/webhooks')).body.items[0].events
  expect(await events()).toEqual(['dns.*', 'account.created', 'job.*'])
  const at = `/admin/webhooks/${(await panel.get('/webhooks')).body.items[0].id}`
  const settings = await root.get(at)
  const page = settings.body
  expect(tickedIn(page, 'events')).toEqual(['dns.*', 'job.*'])
  expect(page).toMatch(/<textarea[^>]*name="events"[^>]*>\naccount\.created<\/textarea>/)
  expect((await root.submit(settings, 'updateWebhook', { description: 'Billing' })).status).toBe(303)
  expect((await events()).toSorted()).toEqual(['account.created', 'dns.*', 'job.*'])
  const hostile = await panel.post(`/accounts/${id}/webhooks`, { url, events: ['<b>dns.*'] })
  expect([hostile.status, Object.keys(hostile.body.fields)]).toEqual([422, ['events']])
})

test('kinds of an alert channel are ticked, and patterns are typed', async () => {
  const { panel, root } = await withCarol()
  const form = await root.get('/admin/alerts/channels/new')
  const sent = { name: 'ops', type: 'mail', to: 'ops@shop.example', kinds: 'job-fail' }
  const wrong = await root.submit(form, 'createAlertChannel', sent)
  expect([wrong.status, textOf(wrong.body).includes('did you mean job-failed?')]).toEqual([400, true])
  await root.submit(form, 'createAlertChannel', { ...sent, kinds: 'error\njob-failed\ndisk-*' })
  const [channel] = (await panel.get('/alerts/channels')).body.items
  expect(channel).toMatchObject({ kinds: ['error', 'job-failed', 'disk-*'] })
  const page = (await root.get(`/admin/alerts/channels/${channel.id}`)).body
  expect(tickedIn(page, 'kinds')).toEqual(['error', 'job-failed'])
  expect(page).toMatch(/<textarea[^>]*name="kinds"[^>]*>\ndisk-\*<\/textarea>/)
})

const offersDelete = (body: string) => /href="[^"]*\?do=(delete|remove)[A-Z]/.test(body)

test('a deletion that is bound to be refused is not offered: the page says why', async () => {
  const { panel, root, carol, id } = await withCarol()
  const pageAt = async (visitor: Visitor, at: string) => {
    const { body } = await visitor.get(at)
    return [offersDelete(body), textOf(body)] as const
  }
  const [local] = (await panel.get('/nodes')).body.items
  expect(await pageAt(root, `/admin/nodes/${local.id}`)).toEqual([false, expect.stringContaining('runs on this node')])
  const [main] = (await panel.get('/ips')).body.items
  expect(await pageAt(root, `/admin/ips/${main.id}`)).toEqual([false, expect.stringContaining('The main address')])
  const { package_id } = (await panel.get(`/accounts/${id}`)).body
  const used = await pageAt(root, `/admin/packages/${package_id}`)
  expect(used).toEqual([false, expect.stringContaining('once its accounts have another package')])
  const { body: spare } = await panel.post('/packages', { name: 'spare' })
  expect((await pageAt(root, `/admin/packages/${spare.id}`))[0]).toBe(true)
  expect(await pageAt(carol, '/user/domains/carol.example')).toEqual([
    false,
    expect.stringContaining('The main domain cannot be deleted'),
  ])
  await panel.post(`/accounts/${id}/domains`, { name: 'shop.example', kind: 'addon' })
  await panel.settle()
  expect((await pageAt(carol, '/user/domains/shop.example'))[0]).toBe(true)
  await panel.post(`/accounts/${id}/email/accounts`, { address: 'info@shop.example', password })
  await panel.settle()
  const withMailbox = await pageAt(carol, '/user/domains/shop.example')
  expect(withMailbox).toEqual([false, expect.stringContaining('once it has no mailboxes: it has 1.')])
})

test('a reseller with accounts remains one, and a refusal is said once', async () => {
  const { panel, root, id } = await withCarol()
  await panel.post('/resellers', { account_id: id, acl: ['list-accts'] })
  expect(offersDelete((await root.get('/admin/resellers/carol')).body)).toBe(true)
  await panel.account('dora', { owner_id: id })
  const page = await root.get('/admin/resellers/carol')
  expect([offersDelete(page.body), textOf(page.body)]).toEqual([false, expect.stringContaining('remains a reseller')])
  const question = await root.get('/admin/resellers/carol?do=removeReseller')
  const refused = await root.submit(question, 'removeReseller', { confirm: 'carol' })
  expect([refused.status, textOf(refused.body).match(/owns 1 accounts/g)]).toEqual([409, ['owns 1 accounts']])
  const [local] = (await panel.get('/nodes')).body.items
  const node = await root.get(`/admin/nodes/${local.id}?do=deleteNode`)
  const refusal = textOf((await root.submit(node, 'deleteNode', { confirm: 'local' })).body)
  expect(refusal.match(/The control plane runs on this node/g)).toHaveLength(1)
})

test('the settings of a customer lead to its emails', async () => {
  const { carol, root } = await withCarol()
  expect((await carol.get('/user/settings')).body).toContain('href="/user/notification-preferences"')
  expect((await root.get('/admin/accounts/carol/settings')).body).not.toMatch(/>Emails to the account</)
})

test('without a certificate authority no page offers to issue a certificate, and its own page says why', async () => {
  const { root, carol } = await withCarol()
  expect((await carol.get('/user/')).body).not.toContain('Issue certificate')
  const page = await carol.get('/user/ssl/issue')
  expect(textOf(page.body)).toContain('Your administrator can choose one.')
  expect(page.body).not.toContain('form-issueCertificate')
  expect(page.body).toContain('href="/user/ssl/new"')
  expect((await root.get('/admin/accounts/carol/ssl/issue')).body).toContain('href="/admin/settings"')
})

test('the firewall of a trial is called a trial', async () => {
  const { root } = await withCarol()
  expect(textOf((await root.get('/admin/firewall')).body)).toMatch(
    /Firewall .*Trial .*no port of this machine is opened/,
  )
})

test('the audit finds changes by their words, and asks which of several is meant', async () => {
  const { panel, root, id } = await withCarol()
  const { body: small } = await panel.post('/packages', { name: 'small' })
  await panel.put(`/accounts/${id}/package`, { package_id: small.id })
  const found = async (text: string, language = 'en') => {
    const { body } = await root.get(`/admin/audit?operation=${encodeURIComponent(text)}`, {
      'Accept-Language': language,
    })
    return { rows: body.match(/<tr>/g)?.length ?? 0, text: textOf(body), body }
  }
  const exact = await found('Move an account to another package')
  expect(exact.text).toContain('small')
  expect(await found('changeaccountpackage')).toMatchObject({ rows: exact.rows })
  expect(await found('to another package')).toMatchObject({ rows: exact.rows })
  const several = await found('package')
  expect(several.body).toContain('Several changes are called so. Choose one:')
  expect(several.body).toContain('operation=Move+an+account+to+another+package')
  expect((await found('<img src=x>')).body).not.toContain('<img src=x>')
})

test('a record with a long value is titled by a part of it', async () => {
  const { panel, carol, id } = await withCarol()
  const { items } = (await panel.get(`/accounts/${id}/dns/zones`)).body
  const value = `v=DKIM1; p=${'A'.repeat(390)}`
  const record = { name: 'mail._domainkey', type: 'TXT', value }
  const made = (await panel.post(`/accounts/${id}/dns/zones/${items[0].id}/records`, record)).body
  const { body } = await carol.get(`/user/dns/carol.example/records/${made.record?.id ?? made.id}`)
  const [, title = ''] = /<h1>(.*?)<\/h1>/s.exec(body)!
  expect(textOf(title)).toMatch(/^mail\._domainkey TXT .{1,45}…$/)
})

test('what is about to be deleted, or granted, is named', async () => {
  const { panel, carol, id } = await withCarol()
  const [certificate] = (await panel.get(`/accounts/${id}/ssl/certificates`)).body.items
  const question = await carol.get(`/user/ssl/${certificate.id}?do=uninstallCertificate`)
  expect(textOf(question.body)).toMatch(/carol\.example This cannot be undone\./)
  const { database } = (await panel.post(`/accounts/${id}/mysql/databases`, { name: 'carol_shop' })).body
  const { user } = (await panel.post(`/accounts/${id}/mysql/users`, { name: 'carol_shop', password })).body
  await panel.settle()
  const grant = textOf((await carol.get(`/user/mysql/${database.id}/users/${user.id}`)).body)
  expect(grant).toContain('carol_shop In the database carol_shop · no access yet')
})

test('a reseller who may not see records gets no links to zones', async () => {
  const { panel, id } = await withCarol()
  await panel.post('/resellers', { account_id: id, acl: ['list-accts', 'edit-dns'] })
  await panel.account('dora', { owner_id: id })
  await panel.settle()
  const rita = await new Visitor(panel).signIn('carol', 'admin')
  const { status, body } = await rita.get('/admin/accounts/dora/dns')
  expect([status, textOf(body).includes('dora.example')]).toEqual([200, true])
  expect(body).not.toContain('href="/admin/accounts/dora/dns/dora.example"')
})
