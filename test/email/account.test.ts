import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { noticesOf } from '../notices/fixtures.ts'
import { accepted, occurred, problem, withMail } from './fixtures.ts'

const passwd = 'etc/panel/mail/passwd.d/alice.example'

test('a suspended account neither sends nor autoreplies, and incoming mail is kept', async () => {
  const { panel, alice, read, map, mailbox, forwarder } = await withMail()
  const box = await mailbox('info@alice.example')
  await forwarder('sales@alice.example', ['bob@ext.example'])
  accepted(await panel.put(`${box.path}/autoresponder`, { subject: 'Away', body: 'Soon.' }))
  await panel.settle()
  const script = `etc/panel/mail/sieve.d/alice/${box.id}.sieve`
  const before = [read(passwd), read(script), map('aliases')]
  expect(before[1]).toContain('vacation')
  await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
  await panel.settle()
  expect(read(passwd)).toMatch(/^info:!:/m)
  expect([read(script), map('nosubmit'), map('aliases')]).toEqual(['', ['alice suspended'], before[2]])
  expect(problem(await panel.patch(box.path, { quota_mb: 5 }))[0]).toBe(202)
  const token = await panel.token(['email:write'], { account: alice.id })
  expect(problem(await panel.patch(box.path, { quota_mb: 6 }, { token }))).toEqual([403, 'account-suspended'])
  await panel.patch(box.path, { quota_mb: null })
  await panel.post(`/accounts/${alice.id}/unsuspend`)
  await panel.settle()
  expect([read(passwd), read(script), map('aliases')]).toEqual(before)
})

test('a renamed account keeps its mail and renames its own address', async () => {
  const { panel, alice, read, map, has, mailbox } = await withMail({ signs: true })
  const box = await mailbox('info@alice.example')
  await panel.patch(`/accounts/${alice.id}`, { username: 'alicia' })
  await panel.settle()
  expect(read(passwd)).toContain('/home/alicia/mail/alice.example/info::')
  expect(read(passwd)).toContain('\nalicia:!:')
  expect([has('home/alicia/mail/alice.example/info'), map('mailboxes')]).toEqual([true, []])
  expect(map('mailboxes', 'alicia')).toEqual([
    'alicia@alice.example alice.example/alicia/',
    'info@alice.example alice.example/info/',
  ])
  expect(has('etc/panel/mail/dkim.d/alice')).toBe(false)
  expect(has('etc/panel/mail/dkim.d/alicia/alice.example.panel1.pem')).toBe(true)
  expect((await panel.get(box.path)).body.address).toBe('info@alice.example')
})

test('a new main domain moves addresses, mail and their forwarders along', async () => {
  const { panel, alice, path, map, read, has, mailbox, forwarder } = await withMail()
  accepted(await panel.post(`/accounts/${alice.id}/domains`, { name: 'blog.alice.example' }))
  accepted(await panel.post(`/accounts/${alice.id}/domains`, { name: 'shop.example' }))
  await panel.verify(alice.id)
  await panel.settle()
  const info = await mailbox('info@alice.example')
  await mailbox('me@blog.alice.example')
  await forwarder('sales@alice.example', ['info@alice.example', 'x@ext.example', 'me@blog.alice.example'])
  await forwarder('a@shop.example', ['info@alice.example'])
  const [main] = (await panel.get(`${path}/domains`)).body.items
  accepted(
    await panel.put(`${path}/domains/${main.id}/catch-all`, { action: 'forward', destination: 'info@alice.example' }),
  )
  await panel.settle()
  for (const box of ['alice.example/info', 'blog.alice.example/me']) {
    mkdirSync(join(panel.dir, `host/home/alice/mail/${box}/Maildir/new`), { recursive: true })
    writeFileSync(join(panel.dir, `host/home/alice/mail/${box}/Maildir/new/1`), 'a letter')
  }
  panel.forget()
  accepted(await panel.patch(`/accounts/${alice.id}`, { domain: 'alicia.example' }))
  await panel.verify(alice.id)
  const { events, jobs } = await occurred(panel)
  expect(events).toEqual(['account.domain_changed', 'job.completed'])
  expect(jobs).toEqual(['account.update succeeded'])
  expect((await panel.get(info.path)).body.address).toBe('info@alicia.example')
  const { items } = (await panel.get(`${path}/forwarders`)).body
  expect(items.map(({ address, destinations }: Json) => [address, destinations])).toEqual([
    ['sales@alicia.example', ['info@alicia.example', 'x@ext.example', 'me@blog.alicia.example']],
    ['a@shop.example', ['info@alicia.example']],
  ])
  expect(map('aliases')).toContain('@alicia.example info@alicia.example')
  expect(map('aliases')).toContain('a@shop.example info@alicia.example')
  expect(has('home/alice/mail/alicia.example/info/Maildir/new/1')).toBe(true)
  expect(has('home/alice/mail/blog.alicia.example/me/Maildir/new/1')).toBe(true)
  expect(read('etc/panel/mail/passwd.d/alicia.example')).toContain('\ninfo:$6$')
  expect(has(passwd)).toBe(false)
})

test('terminating an account removes it from all maps', async () => {
  const { panel, alice, map, has, mailbox, forwarder } = await withMail({ signs: true })
  await mailbox('info@alice.example')
  await forwarder('sales@alice.example', ['x@ext.example'])
  accepted(await panel.delete(`/accounts/${alice.id}?confirm=alice`))
  expect(await occurred(panel)).toMatchObject({ events: ['account.terminated', 'job.completed'] })
  for (const name of ['domains', 'mailboxes', 'aliases', 'senders', 'spam', 'dkimkeys', 'dkimsign'])
    expect([name, map(name)]).toEqual([name, []])
  for (const left of [passwd, 'etc/panel/mail/dkim.d/alice', 'etc/panel/mail/sieve.d/alice'])
    expect([left, has(left)]).toEqual([left, false])
  const { store } = panel
  for (const table of ['email_mailboxes', 'email_forwarders', 'email_domains', 'email_keys'])
    expect(store.sqlite.prepare(`SELECT count(*) AS left FROM ${table}`).get()).toEqual({ left: 0 })
})

test('a smaller package removes nothing, and allows no more', async () => {
  const { panel, alice, ask, path, mailbox } = await withMail()
  const box = await mailbox('info@alice.example', { quota_mb: 500 })
  await mailbox('more@alice.example')
  const plan = (await panel.post('/packages', { name: 'small', max_email: 1, max_email_quota_mb: 100 })).body
  accepted(await panel.put(`/accounts/${alice.id}/package`, { package_id: plan.id }))
  await panel.settle()
  expect((await panel.get(`${path}/accounts`)).body.total).toBe(2)
  expect((await panel.get(box.path)).body.quota_mb).toBe(500)
  expect(problem(await ask('third@alice.example'))).toEqual([409, 'limit-reached', 'max_email'])
  expect(problem(await panel.patch(box.path, { quota_mb: 600 }))).toEqual([409, 'limit-reached', 'quota_mb'])
  expect(problem(await panel.patch(box.path, { quota_mb: 500, max_per_hour: 5 }))[0]).toBe(202)
})

test('the size of mailboxes is measured', async () => {
  const { panel, alice, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const maildir = join(panel.dir, 'host/home/alice/mail/alice.example/info/Maildir')
  for (const folder of ['new', 'cur', 'tmp', '.Sent/cur']) {
    mkdirSync(join(maildir, folder), { recursive: true })
    writeFileSync(join(maildir, folder, '1'), 'x'.repeat(10_000))
  }
  await panel.patch(`/accounts/${alice.id}`, {})
  await panel.settle()
  const { used_bytes, messages, measured_at } = (await panel.get(box.path)).body
  expect([messages, measured_at]).toEqual([3, panel.clock.now()])
  expect(used_bytes).toBeGreaterThan(40_000)
  await panel.patch(box.path, { quota_mb: 1 })
  await panel.settle()
  expect(await noticesOf(panel)).toEqual([])
  writeFileSync(join(maildir, 'cur/2'), 'x'.repeat(950_000))
  await panel.clock.advance(1000)
  await panel.patch(`/accounts/${alice.id}`, {})
  await panel.settle()
  expect(await noticesOf(panel, alice.id)).toMatchObject([
    { kind: 'mailbox-nearly-full', severity: 'warn', name: 'info@alice.example', since: panel.clock.now() },
  ])
  await panel.patch(box.path, { quota_mb: 2 })
  await panel.settle()
  expect(await noticesOf(panel)).toEqual([])
})
