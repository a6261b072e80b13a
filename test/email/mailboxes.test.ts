import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataSchema } from '../../src/contract/events.ts'
import { sha512Crypt } from '../../src/shared/crypt.ts'
import { exhaust } from '../domains/fixtures.ts'
import { FailingDriver, PausedDriver } from '../drivers.ts'
import { soon } from '../wait-for.ts'
import { accepted, mailOf, nothing, occurred, password, problem, withMail } from './fixtures.ts'

const passwd = 'etc/panel/mail/passwd.d/alice.example'

test('a mailbox is created by a job, and its line works for logging in', async () => {
  const { panel, alice, ask, path, read, has, map } = await withMail()
  const { mailbox, job_id } = accepted(await ask('info@alice.example', { quota_mb: 500, max_per_hour: 50 }))
  expect(mailbox).toEqual({
    id: mailbox.id,
    address: 'info@alice.example',
    local_part: 'info',
    domain: 'alice.example',
    quota_mb: 500,
    max_per_hour: 50,
    used_bytes: 0,
    messages: 0,
    measured_at: mailbox.created_at,
    suspended_login: false,
    suspended_outgoing: false,
    suspended_incoming: false,
    autoresponder: false,
    password_changed_at: mailbox.created_at,
    status: 'creating',
    created_at: mailbox.created_at,
  })
  expect(await occurred(panel)).toEqual({
    events: ['email.account.created', 'job.completed'],
    jobs: ['email.account.create succeeded'],
  })
  expect((await panel.get(`${path}/accounts/${mailbox.id}`)).body).toEqual({ ...mailbox, status: 'active' })
  const { job } = (await panel.get(`/jobs/${job_id}`)).body
  expect([job.payload, job.max_attempts]).toEqual([{}, 3])
  const [event] = (await panel.get(`/accounts/${alice.id}/events?type=email.account.created`)).body.items
  expect(dataSchema('email.account.created').parse(event.data)).toMatchObject({
    object: 'mailbox',
    object_id: mailbox.id,
    details: { address: 'info@alice.example' },
  })
  const [, salt, line] = /^(?:info:\$6\$([^$]{16})\$[^:]{86}:(.*))$/m.exec(read(passwd))!
  const uid = alice.uid
  expect(line).toBe(`${uid}:${uid}::/home/alice/mail/alice.example/info::userdb_quota_rule=*:storage=500M`)
  expect(read(passwd)).toContain(`info:${sha512Crypt(password, salt!, createHash)}:`)
  expect(read(passwd).split('\n')[1]).toBe(`alice:!:${uid}:${uid}::/home/alice/mail/alice.example/alice::`)
  expect(has('home/alice/mail/alice.example/info')).toBe(true)
  expect(map('mailboxes')).toContain('info@alice.example alice.example/info/')
  expect(map('rates')).toEqual(['info@alice.example 50'])
})

test.each([
  'a"b',
  'ü',
  'a+b',
  'a%b',
  'a\nb',
  'a:b',
  'a b',
  '.a',
  'a.',
  'a..b',
  '-',
  'srs0=x',
  'SRS1-x',
  '',
  'a'.repeat(65),
])('refuses the name %j@', async (local) => {
  const { panel, ask, path, read } = await withMail()
  const before = read(passwd)
  expect(problem(await ask(`${local}@alice.example`))).toEqual([400, 'validation', 'address'])
  expect(await occurred(panel)).toEqual(nothing)
  expect((await panel.get(`${path}/accounts`)).body).toEqual({ items: [], total: 0 })
  expect(read(passwd)).toBe(before)
})

test('addresses are unique, in any case', async () => {
  const { ask } = await withMail()
  expect(accepted(await ask('INFO@ALICE.Example')).mailbox.address).toBe('info@alice.example')
  for (const again of ['info@alice.example', 'Info@alice.EXAMPLE'])
    expect(problem(await ask(again))).toEqual([409, 'exists', 'address'])
})

test('a domain of another account gives the same error as an unknown one', async () => {
  const { panel, ask } = await withMail()
  await panel.account('bob')
  const received = await Promise.all(
    ['info@bob.example', 'info@unknown.example', 'info@nowhere'].map((one) => ask(one)),
  )
  for (const reply of received) expect(problem(reply)).toEqual([400, 'validation', 'address'])
  expect(new Set(received.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(await occurred(panel)).toEqual(nothing)
})

test('allows one of two concurrent creates at the limit', async () => {
  const { panel, alice, ask, mailbox } = await withMail()
  await panel.patch(`/accounts/${alice.id}`, { max_email: 3 })
  const first = await mailbox('a@alice.example')
  await mailbox('b@alice.example')
  const both = await Promise.all([ask('c@alice.example'), ask('d@alice.example')])
  expect(both.map(problem).toSorted()).toEqual([
    [202, undefined],
    [409, 'limit-reached', 'max_email'],
  ])
  await panel.settle()
  expect((await panel.get(`/accounts/${alice.id}/usage`)).body.email_accounts).toEqual({ used: 3, limit: 3 })
  await panel.delete(first.path)
  await panel.settle()
  accepted(await ask('e@alice.example'))
})

test('a quota has a maximum and a default', async () => {
  const { panel, alice, ask, mailbox } = await withMail()
  const limit = (limits: object) => panel.patch(`/accounts/${alice.id}`, limits)
  expect((await mailbox('free@alice.example')).quota_mb).toBeUndefined()
  await limit({ max_email_quota_mb: 100 })
  const box = await mailbox('largest@alice.example')
  expect(box.quota_mb).toBe(100)
  await limit({ default_email_quota_mb: 20 })
  expect((await mailbox('usual@alice.example')).quota_mb).toBe(20)
  await limit({ default_email_quota_mb: 0 })
  expect(problem(await ask('none@alice.example'))).toEqual([400, 'validation', 'quota_mb'])
  panel.forget()
  expect(problem(await ask('big@alice.example', { quota_mb: 101 }))).toEqual([409, 'limit-reached', 'quota_mb'])
  expect(problem(await panel.patch(box.path, { quota_mb: null }))).toEqual([409, 'limit-reached', 'quota_mb'])
  for (const quota_mb of [-1, 0, 1.5, '5']) {
    expect(problem(await ask('odd@alice.example', { quota_mb }))).toEqual([400, 'validation', 'quota_mb'])
    expect(problem(await panel.patch(box.path, { quota_mb }))).toEqual([400, 'validation', 'quota_mb'])
  }
  await limit({ max_email_per_hour: 10 })
  expect(problem(await panel.patch(box.path, { max_per_hour: 11 }))).toEqual([409, 'limit-reached', 'max_per_hour'])
  expect(accepted(await panel.patch(box.path, { max_per_hour: null, quota_mb: 5 })).mailbox.quota_mb).toBe(5)
})

test('all errors of a body are reported together', async () => {
  const { ask, panel } = await withMail()
  expect(problem(await ask('a b@alice.example', { password: 'short', quota_mb: 0 }))).toEqual([
    400,
    'validation',
    'address',
    'password',
    'quota_mb',
  ])
  for (const odd of ['1234567', 'x'.repeat(129), 'tab\tinside', 'long-name@alice.example', 'long-name'])
    expect([odd, ...problem(await ask('long-name@alice.example', { password: odd }))]).toEqual([
      odd,
      400,
      'validation',
      'password',
    ])
  expect(await occurred(panel)).toEqual(nothing)
})

test('a password is changed on the host, and never returned', async () => {
  const { panel, read, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const before = read(passwd)
  panel.clock.jump(1000)
  const reply = await panel.post(`${box.path}/password`, { new_password: 'another horse' })
  expect(accepted(reply).mailbox.password_changed_at).toBe(panel.clock.now())
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.account.password succeeded'] })
  const hashOf = (text: string) => /^info:([^:]+):/m.exec(text)![1]
  expect(hashOf(read(passwd))).not.toBe(hashOf(before))
  expect(problem(await panel.post(`${box.path}/password`, { new_password: 'info@alice.example' }))).toEqual([
    400,
    'validation',
    'new_password',
  ])
})

test('a suspended mailbox has only `!`, whatever happens to its account', async () => {
  const { panel, alice, read, map, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const isLocked = () => /^info:!:/m.test(read(passwd))
  expect(accepted(await panel.post(`${box.path}/suspend`)).mailbox).toMatchObject({
    suspended_login: true,
    suspended_outgoing: true,
    suspended_incoming: false,
  })
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.account.update succeeded'] })
  expect([isLocked(), map('senders'), map('closed')]).toEqual([true, ['alice@alice.example alice@alice.example'], []])
  await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
  await panel.settle()
  await panel.post(`/accounts/${alice.id}/unsuspend`)
  await panel.settle()
  expect(isLocked()).toBe(true)
  const other = { login: false, outgoing: false, incoming: true }
  accepted(await panel.post(`${box.path}/suspend`, other))
  await panel.settle()
  expect([isLocked(), map('closed')]).toEqual([false, ['info@alice.example REJECT 5.2.1 Mailbox disabled']])
  expect(accepted(await panel.post(`${box.path}/unsuspend`)).mailbox.suspended_incoming).toBe(false)
  await panel.settle()
  expect(map('closed')).toEqual([])
})

test('a mailbox that is deleted and created again is empty, and its old mail is in the trash', async () => {
  const { panel, alice, mailbox, read } = await withMail()
  const box = await mailbox('info@alice.example')
  const maildir = join(panel.dir, 'host/home/alice/mail/alice.example/info')
  mkdirSync(join(maildir, 'Maildir/new'), { recursive: true })
  writeFileSync(join(maildir, 'Maildir/new/1'), 'a letter')
  const first = accepted(await panel.delete(box.path))
  expect(first.mailbox.status).toBe('deleting')
  expect(accepted(await panel.delete(box.path)).job_id).toBe(first.job_id)
  expect(await occurred(panel)).toEqual({
    events: ['email.account.deleted', 'job.completed'],
    jobs: ['email.account.delete succeeded'],
  })
  const [event] = (await panel.get('/events?type=email.account.deleted')).body.items
  expect(dataSchema('email.account.deleted').parse(event.data)).toMatchObject({
    object: 'mailbox',
    object_id: box.id,
    details: { address: 'info@alice.example' },
  })
  expect(problem(await panel.get(box.path))).toEqual([404, 'not-found'])
  expect(read(passwd)).not.toContain('\ninfo:')
  const trash = join(panel.dir, 'host/home/alice/.trash')
  const [item] = (await panel.get(`/accounts/${alice.id}/trash`)).body.items
  expect(item).toMatchObject({ path: 'mail/alice.example/info', type: 'directory' })
  expect(readFileSync(join(trash, item.id, 'item/Maildir/new/1'), 'utf8')).toBe('a letter')
  await mailbox('info@alice.example')
  expect(readdirSync(maildir)).toEqual([])
  expect((await panel.get('/trash')).body.items).toEqual([])
})

test('deleted mail counts to its account until its trash is emptied', async () => {
  const { panel, alice, mailbox } = await withMail()
  const maildir = join(panel.dir, 'host/home/alice/mail/alice.example/info')
  for (const round of [1, 2, 3]) {
    const box = await mailbox('info@alice.example')
    writeFileSync(join(maildir, 'letter'), Buffer.alloc(3 * 1024 * 1024, 1))
    accepted(await panel.delete(box.path))
    await panel.settle()
    await panel.clock.leap(15 * 60_000)
    await soon(async () => {
      const { disk_mb } = (await panel.get(`/accounts/${alice.id}/usage`)).body
      expect(disk_mb.used, `round ${round}`).toBeGreaterThanOrEqual(3 * round)
    })
  }
})

test('a file in place of the trash keeps a deletion from succeeding, and no claimed domain', async () => {
  const { panel, alice, ask, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const home = join(panel.dir, 'host/home/alice')
  writeFileSync(join(home, 'mail/alice.example/info/letter'), '')
  writeFileSync(join(home, '.trash'), '')
  const { job_id } = accepted(await panel.delete(box.path))
  await panel.settle()
  expect((await panel.get(`/jobs/${job_id}`)).body.job.error).toBe(
    'mail/alice.example/info of alice could not be moved to the trash: .trash is not a directory: rename it.',
  )
  expect(problem(await ask('info@alice.example'))).toEqual([409, 'exists', 'address'])
  rmSync(join(home, '.trash'))
  accepted(await panel.delete(box.path))
  await panel.settle()
  expect((await panel.get(`/accounts/${alice.id}/email/accounts`)).body.total).toBe(0)
  expect((await panel.get(`/accounts/${alice.id}/trash`)).body.items).toHaveLength(1)
})

test('a mailbox whose mail cannot be moved stays reserved, and its deletion says why', async () => {
  const { panel, alice, ask, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const home = join(panel.dir, 'host/home/alice')
  writeFileSync(join(home, 'mail/alice.example/info/letter'), '')

  symlinkSync('/tmp', join(home, '.trash'))
  const { job_id } = accepted(await panel.delete(box.path))
  await panel.settle()
  const { job } = (await panel.get(`/jobs/${job_id}`)).body
  expect(job.error).toBe(
    'mail/alice.example/info of alice could not be moved to the trash: path: leads through a link, which is not followed',
  )
  expect(problem(await ask('info@alice.example'))).toEqual([409, 'exists', 'address'])
  await panel.post(`/accounts/${alice.id}/suspend`)
  await panel.settle()
  expect((await panel.get(`/accounts/${alice.id}`)).body.status).toBe('suspended')
  rmSync(join(home, '.trash'))
  accepted(await panel.delete(box.path))
  await panel.settle()
  expect((await panel.get(`/accounts/${alice.id}/trash`)).body.items).toMatchObject([
    { path: 'mail/alice.example/info' },
  ])
})

test('a mailbox that is being deleted reserves its address, counts, and refuses changes', async () => {
  let driver!: PausedDriver
  const { panel, alice, ask, mailbox } = await withMail({
    driver: (root) => {
      driver = new PausedDriver(root)
      driver.release()
      return driver
    },
  })
  const box = await mailbox('info@alice.example')
  driver.hold()
  accepted(await panel.delete(box.path))
  expect(problem(await panel.patch(box.path, { quota_mb: 5 }))).toEqual([409, 'busy'])
  expect(problem(await panel.post(`${box.path}/suspend`))).toEqual([409, 'busy'])
  expect(problem(await panel.post(`${box.path}/password`, { new_password: 'another horse' }))).toEqual([409, 'busy'])
  expect(problem(await ask('info@alice.example'))).toEqual([409, 'exists', 'address'])
  await panel.patch(`/accounts/${alice.id}`, { max_email: 1 })
  expect(problem(await ask('other@alice.example'))).toEqual([409, 'limit-reached', 'max_email'])
  driver.release()
  await panel.settle()
  accepted(await ask('info@alice.example'))
})

test('only mailboxes that a row marks as gone are moved: an unknown Maildir stays', async () => {
  const { panel, has, mailbox } = await withMail()
  mkdirSync(join(panel.dir, 'host/home/alice/mail/alice.example/old'), { recursive: true })
  await mailbox('info@alice.example')
  expect(has('home/alice/mail/alice.example/old')).toBe(true)
  expect(has('home/alice/.trash')).toBe(false)
})

test('a mailbox that cannot be created is removed, and its address is free', async () => {
  let driver!: FailingDriver
  const { panel, ask, path } = await withMail({ driver: (root) => (driver = new FailingDriver(root, 0)) })
  driver.failures = 3
  accepted(await ask('info@alice.example'))
  await exhaust(panel)
  expect(panel.events()).toEqual(['email.account.created', 'job.failed'])
  expect(panel.jobs()).toEqual(['email.account.create failed'])
  expect((await panel.get(`${path}/accounts`)).body.total).toBe(0)
  accepted(await ask('info@alice.example'))
})

test('a list is searched by address and domain', async () => {
  const { panel, path, alice, mailbox } = await withMail()
  await panel.post(`/accounts/${alice.id}/domains`, { name: 'shop.example' })
  await panel.settle()
  for (const address of ['info@alice.example', 'info@shop.example', 'sales@shop.example']) await mailbox(address)
  const found = async (query: string) =>
    (await panel.get(`${path}/accounts?${query}`)).body.items.map(({ address }: { address: string }) => address)
  expect(await found('q=sales')).toEqual(['sales@shop.example'])
  expect(await found('q=o@SHOP')).toEqual(['info@shop.example'])
  expect(await found('domain=Shop.example')).toEqual(['info@shop.example', 'sales@shop.example'])
  expect(await found('domain=nowhere.example')).toEqual([])
  expect(await found('per_page=1&page=2')).toEqual(['info@shop.example'])
})

test('looks up a mailbox by its address', async () => {
  const { panel, alice, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const token = await panel.token(['email:read'], { account: alice.id })
  const other = await panel.token(['dns:read'], { account: alice.id })
  const item = { kind: 'mailbox', id: box.id, name: 'info@alice.example', account_id: alice.id, username: 'alice' }
  expect((await panel.get('/lookup?name=INFO@Alice.example')).body.items).toEqual([item])
  for (const prefix of ['inf', 'info@al'])
    expect((await panel.get(`/lookup?prefix=${prefix}&kind=mailbox`)).body.items).toEqual([item])
  const at = `/accounts/${alice.id}/lookup?name=info@alice.example`
  expect((await panel.get(at, { token })).body.items).toEqual([item])
  expect((await panel.get(at, { token: other })).body.items).toEqual([])
})

test('the settings for a mail program contain no password, and are the same each time', async () => {
  const { panel, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const { body } = await panel.get(`${box.path}/client-config`)
  expect(body).toMatchObject({
    address: 'info@alice.example',
    login: 'info@alice.example',
    incoming: [
      { protocol: 'imap', host: 'host.example', port: 993, security: 'tls' },
      { protocol: 'pop3', host: 'host.example', port: 995, security: 'tls' },
    ],
    outgoing: [
      { protocol: 'smtp', host: 'host.example', port: 465, security: 'tls' },
      { protocol: 'smtp', host: 'host.example', port: 587, security: 'starttls' },
    ],
  })
  for (const name of ['autoconfig', 'autodiscover', 'mobileconfig']) {
    expect(body[name]).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/)
    expect(body[name]).toContain('info@alice.example')
    expect(body[name]).not.toContain(password)
  }
  expect(body.mobileconfig.match(/<key>PayloadUUID<\/key>/g)).toHaveLength(2)
  expect((await panel.get(`${box.path}/client-config`)).body).toEqual(body)
})

test('refuses new mailboxes without the feature, but shows and deletes existing ones', async () => {
  const { panel, alice, ask, path, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const list = (await panel.get(`/feature-lists/${alice.feature_list_id}`)).body
  await panel.patch(`/feature-lists/${list.id}`, { features: { ...list.features, pop_accounts: false } })
  expect(problem(await ask('new@alice.example'))).toEqual([403, 'feature-disabled'])
  expect(problem(await panel.send('POST', `${path}/accounts`, { body: '{' }))).toEqual([403, 'feature-disabled'])
  expect(problem(await panel.patch(box.path, { quota_mb: 5 }))).toEqual([403, 'feature-disabled'])
  expect((await panel.get(`${path}/accounts`)).body.total).toBe(1)
  accepted(await panel.post(`${box.path}/suspend`))
  accepted(await panel.delete(box.path))
})

test('mailboxes of a new account wait for it, and a domain with one cannot be deleted', async () => {
  const { panel, alice, mailbox } = await withMail()
  const made = await panel.post('/accounts', { username: 'carol', domain: 'carol.example' })
  accepted(await mailOf(panel, made.body.account.id).ask('info@carol.example'))
  await panel.settle()
  expect(panel.jobs()).toEqual(['account.create succeeded', 'email.account.create succeeded'])
  const { domain } = accepted(await panel.post(`/accounts/${alice.id}/domains`, { name: 'shop.example' }))
  await panel.settle()
  for (const name of ['a', 'b']) await mailbox(`${name}@shop.example`)
  const refused = await panel.delete(`/accounts/${alice.id}/domains/${domain.id}`)
  expect(problem(refused)).toEqual([409, 'in-use'])
  expect(refused.body.detail).toBe('shop.example still has 2 mailboxes; delete them first.')
})

test('a mailbox of an international domain has a login by each form of the name, which go with it', async () => {
  const { panel, alice, mailbox, has, read } = await withMail()
  accepted(await panel.post(`/accounts/${alice.id}/domains`, { name: 'Bücher.example' }))
  await panel.settle()
  const box = await mailbox('info@bücher.example')
  expect(box.address).toBe('info@xn--bcher-kva.example')
  const file = 'etc/panel/mail/passwd.d/bücher.example'
  expect(read(file)).toMatch(/\ninfo:\$6\$.*::::::user=info@xn--bcher-kva\.example\n$/)
  accepted(await panel.delete(box.path))
  await panel.settle()
  expect([has(file), has('etc/panel/mail/passwd.d/xn--bcher-kva.example')]).toEqual([false, false])
})
