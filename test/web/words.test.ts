import { describe, expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { png } from '../resellers/images.ts'
import { formIn, origin, password, textOf, Visitor } from './visitor.ts'

async function withAlice() {
  const panel = await startPanel()
  const alice = await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  return {
    panel,
    alice,
    visitor,
    page: async (path: string) => textOf((await visitor.get(path)).body.replace(/<pre[\s\S]*?<\/pre>/g, '')),
  }
}

describe('words of a page', () => {
  test('describes what happened, what ran, and who changed what', async () => {
    const { panel, alice, page } = await withAlice()
    await panel.post(`/accounts/${alice.id}/email/accounts`, { address: 'jonas@alice.example', password })
    await panel.settle()
    expect(await page('/user/')).toContain('Mailbox jonas@alice.example was created')
    const activity = await page('/user/activity')
    for (const text of ['What Created Who', 'Mailbox jonas@alice.example was created']) expect(activity).toContain(text)
    expect(activity).not.toContain('Create a mailbox: done')
    expect(await page('/user/jobs')).toContain('Create a mailbox')
    expect(await page('/user/activity/audit')).toContain('Create a mailbox')
    for (const path of ['/user/', '/user/activity', '/user/jobs', '/user/activity/audit'])
      expect(await page(path)).not.toMatch(/email\.account\.|createMailbox|Data account|Actor name/)
  })

  test('describes what a mailbox uses, where its mail goes, and where devices find it', async () => {
    const { panel, alice, visitor, page } = await withAlice()
    const address = 'jonas@alice.example'
    await panel.post(`/accounts/${alice.id}/email/accounts`, { address, password, quota_mb: 500 })
    await panel.post(`/accounts/${alice.id}/email/forwarders`, {
      address,
      destinations: ['b@ext.example'],
      keep_copy: true,
    })
    expect(await page('/user/email')).toContain('Address Used Quota Status')
    const visible = await visitor.get(`/user/email/${address}`)
    for (const text of [
      'Used 0 MB of 500 MB',
      'Sign-in suspended No',
      'Forwarder b@ext.example',
      'IMAP',
      '993',
      'Quota',
    ])
      expect(textOf(visible.body)).toContain(text)
    expect(textOf(visible.body)).not.toMatch(/Quota mb|Used bytes|Unsuspend|xml/)
    expect(formIn(visible.body, 'suspendMailbox').fields.getAll('login')).toEqual(['false', 'true'])
    const profile = await visitor.get(`/user/email/${address}/devices?file=mobileconfig`)
    expect([profile.status, profile.headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="mail.mobileconfig"; filename*=UTF-8''mail.mobileconfig`,
    ])
    expect(profile.body).toContain(address)
    expect((await visitor.get(`/user/email/${address}/devices?file=toString`)).body).toContain('<h1')
  })

  test('describes what is suspended of a mailbox, and lifts it', async () => {
    const { panel, alice, visitor } = await withAlice()
    const address = 'jonas@alice.example'
    await panel.post(`/accounts/${alice.id}/email/accounts`, { address, password })
    const path = `/user/email/${address}`
    const suspended = await visitor.follow(await visitor.submit(await visitor.get(path), 'suspendMailbox'))
    expect(textOf(suspended.body)).toContain('Sign-in suspended Yes Sending suspended Yes Receiving suspended No')
    const again = await visitor.follow(await visitor.submit(suspended, 'unsuspendMailbox'))
    expect(textOf(again.body)).toContain('Sign-in suspended No')
  })

  test('describes what an object is, and leaves ids and names of the API to commands', async () => {
    const { visitor } = await withAlice()
    const facts = async (path: string) => /<dl class="facts">[\s\S]*?<\/dl>/.exec((await visitor.get(path)).body)![0]
    const domain = await facts('/user/domains/alice.example')
    for (const text of ['Kind Main domain', 'Served by PHP', 'Verified Yes']) expect(textOf(domain)).toContain(text)
    expect(textOf(domain)).not.toMatch(/[0-9A-Z]{26}|_|unicode/)
    expect(textOf(await facts('/user/backups/schedule'))).toBe('How often Never Backups kept 7')
    expect(textOf((await visitor.get('/user/jobs')).body)).not.toContain('Leased')
  })

  test('describes what resellers may do, and what settings do', async () => {
    const panel = await startPanel()
    await panel.put('/root/password', { new_password: password })
    const root = await new Visitor(panel).signIn('root', 'admin')
    const acl = await root.get('/admin/acls/new')
    expect(acl.body).toMatch(/value="kill-acct"[^<]*Terminate accounts/)
    const settings = textOf((await root.get('/admin/settings')).body)
    for (const text of ['Jobs kept', 'Trash kept', 'Who needs a second factor No one Admins Everyone'])
      expect(settings).toContain(text)
    const token = textOf((await root.get('/admin/tokens/new')).body)
    for (const text of ['cannot be combined with “Expires in”', '30 days', 'Only chosen areas'])
      expect(token).toContain(text)
  })

  test("describes a limit that is not set, without the API's notation", async () => {
    const { page } = await withAlice()
    for (const path of ['/user/dns/alice.example/new', '/user/email/new', '/user/settings', '/user/cron/new'])
      expect(await page(path)).not.toMatch(/null:|absent:|`|\(default:/)
  })
})

describe('form of a DNS record', () => {
  test('starts with the type, and asks for what that type needs', async () => {
    const { panel, alice, visitor } = await withAlice()
    const path = '/user/dns/alice.example/new'
    expect([...formIn((await visitor.get(path)).body, 'createDnsRecord').fields.keys()]).not.toContain('priority')
    const form = await visitor.get(`${path}?type=MX`)
    expect(textOf(form.body)).toContain('Mail server')
    const { fields } = formIn(form.body, 'createDnsRecord')
    expect([fields.get('type'), fields.has('priority'), fields.has('port'), fields.has('serial')]).toEqual([
      'MX',
      true,
      false,
      false,
    ])
    const refused = await visitor.submit(form, 'createDnsRecord', { name: '@', value: 'mx.example', priority: 'high' })
    expect([refused.status, formIn(refused.body, 'createDnsRecord').fields.get('type')]).toEqual([400, 'MX'])
    await visitor.submit(refused, 'createDnsRecord', { priority: '5' })
    const { items } = (await panel.get(`/accounts/${alice.id}/dns/zones`)).body
    const records = (await panel.get(`/accounts/${alice.id}/dns/zones/${items[0].id}/records?type=MX`)).body.items
    expect(records).toContainEqual(expect.objectContaining({ value: 'mx.example', priority: 5 }))
  })

  test('asks for no more of an existing record, and titles its page with its content', async () => {
    const { panel, alice, visitor } = await withAlice()
    const { items } = (await panel.get(`/accounts/${alice.id}/dns/zones`)).body
    const { items: found } = (await panel.get(`/accounts/${alice.id}/dns/zones/${items[0].id}/records?type=MX`)).body
    const page = await visitor.get(`/user/dns/alice.example/records/${found[0].id}`)
    expect(page.body).toMatch(/<h1><bdi dir="ltr" class="m">@ MX 0 /)
    expect([...formIn(page.body, 'updateDnsRecord').fields.keys()]).not.toContain('weight')
  })
})

test('a suspended account shows what is off, since when, why, and whom to contact', async () => {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true, password })
  const support_url = 'https://help.rita.example/'
  await panel.patch(`/resellers/${rita.id}`, { brand: { name: 'Rita Hosting', support_url } })
  const carol = await panel.account('carol', { owner_id: rita.id, password })
  const customer = await new Visitor(panel).signIn('carol')
  await panel.post(`/accounts/${carol.id}/suspend`, { reason: 'unpaid <b>' })
  const page = await customer.get('/user/email')
  expect(page.status).toBe(403)
  for (const text of ['switched off', 'Suspended since', 'Reason unpaid <b>', 'Contact Rita Hosting'])
    expect(textOf(page.body)).toContain(text)
  expect(page.body).toContain(`href="${support_url}" rel="noreferrer noopener"`)
  expect(textOf(page.body)).not.toContain('Security')
  const { body } = await panel.get('/user/auth/session', { headers: {} })
  expect(body.suspended).toBeUndefined()
  const refused = await new Visitor(panel).post('/user/login', { username: 'carol', password })
  expect([refused.status, textOf(refused.body).includes('This account is suspended')]).toEqual([403, true])
})

test("before signing in, a page has the brand of the host name's reseller, else the server's name", async () => {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true, password })
  await panel.patch(`/resellers/${rita.id}`, {
    brand: { name: 'Rita Hosting', accent: 'teal', hostname: 'panel.rita.example' },
  })
  const octets = { 'Content-Type': 'application/octet-stream' }
  const { logo } = (await panel.send('PUT', `/resellers/${rita.id}/brand/logo`, { body: png(8, 8), headers: octets }))
    .body
  const at = async (host: string) =>
    (await panel.get(`${origin}/user/login`, { from: '192.0.2.1', headers: { Host: host, Accept: 'text/html' } })).body
  const branded = await at('panel.rita.example:7711')
  for (const text of ['Rita Hosting', 'data-accent="teal"', `/assets/brand/${logo.sha256}`])
    expect(branded).toContain(text)
  expect(await at('host.example:7711')).not.toContain('Rita')
})
