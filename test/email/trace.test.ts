import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Json, startPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { mailOf, nothing, occurred, problem } from './fixtures.ts'

/** alice forwards to the world and to bob, who has a mailbox; carol is a reseller's. */
async function withMail() {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true })
  const alice = await panel.account('alice')
  const bob = await panel.account('bob')
  const carol = await panel.account('carol', { owner_id: rita.id })
  for (const { id, username } of [alice, bob, carol])
    await mailOf(panel, id).ask(`info@${username}.example`, { quota_mb: 100 })
  await panel.settle()
  panel.forget()
  const folder = join(panel.dir, 'host/var/log/panel')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'mail.log')
  writeFileSync(file, '')
  // The directory's own clock is the machine's.
  const now = Date.now()
  let at = now - 60_000
  /** Lines of the log, a second apart. */
  const log = (...lines: string[]) => {
    for (const line of lines) {
      at += 1000
      appendFileSync(file, `${new Date(at).toISOString()} host postfix/${line}\n`)
    }
  }
  const rows = async ({ id }: Json, query = '') => (await panel.get(`/accounts/${id}/email/trace?${query}`)).body.items
  return { panel, rita, alice, bob, carol, log, rows, file, now }
}

const client = (id: string, ip = '203.0.113.9') => `smtpd[1]: ${id}: client=mx.ext.example[${ip}]`
const login = (id: string, name: string) =>
  `submission/smtpd[1]: ${id}: client=unknown[198.51.100.7], sasl_method=PLAIN, sasl_username=${name}`
const active = (id: string, from: string, size = 500) =>
  `qmgr[1]: ${id}: from=<${from}>, size=${size}, nrcpt=1 (queue active)`
const end = 'delay=0.1, delays=0/0/0/0.1, dsn=2.0.0, status'
const stored = (id: string, to: string) =>
  `lmtp[1]: ${id}: to=<${to}>, relay=host[private/dovecot-lmtp], ${end}=sent (250 2.0.0 <${to}> Saved)`
const sent = (id: string, to: string, original?: string) =>
  `smtp[1]: ${id}: to=<${to}>, ${original ? `orig_to=<${original}>, ` : ''}relay=mx.ext.example[203.0.113.9]:25, ${end}=sent (250 2.0.0 Ok)`
const deferred = (id: string, to: string) =>
  `smtp[1]: ${id}: to=<${to}>, relay=none, delay=1, delays=0/0/1/0, dsn=4.4.1, status=deferred (connect to ext.example[203.0.113.9]:25: Connection refused)`
const refused = (to: string, from = 'w@ext.example', helo = 'mx') =>
  `smtpd[1]: NOQUEUE: reject: RCPT from mx.ext.example[203.0.113.9]: 550 5.1.1 <${to}>: Recipient address rejected: User unknown in virtual mailbox table; from=<${from}> to=<${to}> proto=ESMTP helo=<${helo}>`

/** The agent has taken a forwarded message, and handed it back under another id. */
const returned = (id: string, to: string, original: string, next: string) =>
  `forward/lmtp[1]: ${id}: to=<${to}>, orig_to=<${original}>, relay=host[private/panel-forward], ${end}=sent (250 2.0.0 Ok: queued as ${next})`

test('shows what became of each message, the newest first', async () => {
  const { panel, alice, log, rows } = await withMail()
  log(
    ...[
      client('IN0000'),
      active('IN0000', 'w@ext.example'),
      stored('IN0000', 'info@alice.example'),
      'qmgr[1]: IN0000: removed',
    ],
    ...[
      login('OUT000', 'info@alice.example'),
      active('OUT000', 'info@alice.example'),
      deferred('OUT000', 'b@ext.example'),
    ],
    refused('nobody@alice.example'),
    ...[client('FW0000'), active('FW0000', 'w@ext.example'), sent('FW0000', 'x@ext.example', 'info@alice.example')],
    ...[client('DR0000'), active('DR0000', ''), stored('DR0000', 'drop@alice.example').replace('lmtp[', 'discard[')],
  )
  const found = await rows(alice)
  expect(found.map(({ direction, outcome, from, to }: Json) => [direction, outcome, from, to])).toEqual([
    ['in', 'discarded', '', 'drop@alice.example'],
    ['in', 'forwarded', 'w@ext.example', 'info@alice.example'],
    ['in', 'rejected', 'w@ext.example', 'nobody@alice.example'],
    ['out', 'deferred', 'info@alice.example', 'b@ext.example'],
    ['in', 'delivered', 'w@ext.example', 'info@alice.example'],
  ])
  expect(found[4]).toEqual({
    ...{ at: expect.any(Number), node: 'local', direction: 'in', from: 'w@ext.example', to: 'info@alice.example' },
    ...{ size: 500, client: '203.0.113.9', outcome: 'delivered', mailbox: 'info@alice.example', queue_id: 'IN0000' },
    ...{ answer: '250 2.0.0 <info@alice.example> Saved', account_id: alice.id, username: 'alice' },
  })
  expect(found[1]).toMatchObject({ remote_host: 'mx.ext.example', answer: '250 2.0.0 Ok' })
  expect(found[3]).toMatchObject({ answer: 'connect to ext.example[203.0.113.9]:25: Connection refused' })
  expect(await occurred(panel)).toEqual(nothing)
})

test('a later line replaces the outcome, and nothing is repeated', async () => {
  const { alice, log, rows } = await withMail()
  log(
    login('OUT000', 'info@alice.example'),
    active('OUT000', 'info@alice.example'),
    deferred('OUT000', 'b@ext.example'),
  )
  expect(await rows(alice)).toMatchObject([{ outcome: 'deferred' }])
  log(active('OUT000', 'info@alice.example'), sent('OUT000', 'b@ext.example'), 'qmgr[1]: OUT000: removed')
  expect(await rows(alice)).toMatchObject([{ outcome: 'delivered', remote_host: 'mx.ext.example' }])
  log(
    login('OLD000', 'info@alice.example'),
    active('OLD000', 'info@alice.example'),
    deferred('OLD000', 'c@ext.example'),
  )
  log('qmgr[1]: OLD000: from=<info@alice.example>, status=expired, returned to sender')
  expect((await rows(alice))[0]).toMatchObject({ outcome: 'bounced' })
  log(
    login('DEL000', 'info@alice.example'),
    active('DEL000', 'info@alice.example'),
    deferred('DEL000', 'd@ext.example'),
  )
  log('postsuper[1]: DEL000: removed')
  expect((await rows(alice))[0]).toMatchObject({ outcome: 'discarded' })
  expect(await rows(alice)).toHaveLength(3)
})

test('each account sees its own side of a message between two', async () => {
  const { panel, rita, alice, bob, carol, log, rows } = await withMail()
  log(
    ...[
      login('AB0000', 'info@alice.example'),
      active('AB0000', 'info@alice.example'),
      stored('AB0000', 'info@bob.example'),
    ],
    // bob forwards to a place that alice must not see.
    `smtp[1]: AB0000: to=<secret@ext.example>, orig_to=<fw@bob.example>, relay=secret.ext.example[203.0.113.9]:25, ${end}=sent (250 secret)`,
    ...[client('CA0000'), active('CA0000', 'w@ext.example'), stored('CA0000', 'info@carol.example')],
  )
  const alices = await rows(alice)
  expect(alices.map(({ to, outcome }: Json) => [to, outcome])).toEqual([
    ['fw@bob.example', 'delivered'],
    ['info@bob.example', 'delivered'],
  ])
  expect(JSON.stringify(alices)).not.toMatch(/secret|mailbox/)
  const bobs = await rows(bob)
  expect(bobs.map(({ direction, outcome }: Json) => [direction, outcome])).toEqual([
    ['in', 'forwarded'],
    ['in', 'delivered'],
  ])
  expect(JSON.stringify(bobs)).not.toContain('198.51.100.7')
  const token = await resellerToken(panel, rita.id, ['create-user-session'])
  expect((await panel.get('/mail/trace', { token })).body.items).toMatchObject([{ username: 'carol' }])
  expect(problem(await panel.get(`/mail/trace?account_id=${bob.id}`, { token }))[0]).toBe(404)
  expect((await panel.get('/mail/trace')).body.items).toHaveLength(5)
  expect((await panel.get(`/mail/trace?account_id=${carol.id}`)).body.items).toHaveLength(1)
})

test('filters by either side, direction and time, and pages go on where the last one ended', async () => {
  const { panel, alice, log, rows, now } = await withMail()
  for (let n = 0; n < 5; n++)
    log(client(`IN000${n}`), active(`IN000${n}`, `w${n}@Ext.example`), stored(`IN000${n}`, 'info@alice.example'))
  log(refused('nobody@alice.example'))
  const count = async (query: string) => (await rows(alice, query)).length
  for (const [query, expected] of [
    ['address=info@alice.example', 5],
    ['address=alice.example', 6],
    ['with=W3@ext', 1],
    ['with=info@alice.example', 0],
    ['direction=out', 0],
    [`since=${now}`, 0],
    [`since=${now - 45_000}`, 2],
  ] as const)
    expect([query, await count(query)]).toEqual([query, expected])
  const seen: number[] = []
  for (let next = '', more = true; more; ) {
    const { body } = await panel.get(`/accounts/${alice.id}/email/trace?limit=2${next && `&after=${next}`}`)
    seen.push(...body.items.map(({ at }: Json) => at))
    ;({ more, next } = body)
  }
  expect(seen).toHaveLength(6)
  expect(seen).toEqual(seen.toSorted((one, other) => other - one))
  for (const query of [
    'limit=501',
    'limit=0',
    'after=1',
    'since=-1',
    'direction=both',
    'with=',
    'address=a%0Ab',
    'q=x',
  ])
    expect((await panel.get(`/accounts/${alice.id}/email/trace?${query}`)).status, query).toBe(400)
})

test('what strangers write into a line makes no row for others', async () => {
  const { alice, bob, log, rows } = await withMail()
  const forged = stored('EV0000', 'info@bob.example').slice('lmtp[1]: '.length)
  log(
    ...[client('EV0000'), active('EV0000', '"a>, size=1, nrcpt=1 (queue active)"@ext.example')],
    stored('EV0000', '"x>, relay=none, to=<info@bob.example"@alice.example'),
    `smtp[1]: EV0000: to=<x@ext.example>, relay=mx.ext.example[203.0.113.9]:25, ${end}=sent (250 ok ${forged})`,
    `smtpd[1]: warning: unknown[203.0.113.9]: SASL LOGIN authentication failed: postfix/lmtp[1]: ${forged}`,
    refused('no@alice.example', 'w@ext.example', 'x> from=<a@b.c> to=<info@bob.example> proto=ESMTP helo=<y'),
    // As Postfix writes it: the answer has the address itself, the rest its quoted form.
    refused('>: ; from=<a@b.c> to=<info@bob.example> proto=ESMTP helo=<y@alice.example').replace(
      /to=<>: (.*) proto=ESMTP helo=<mx>$/,
      'to=<">: ; from=<a@b.c> to=<info@bob.example> proto=ESMTP helo=<y"@alice.example> proto=ESMTP helo=<mx>',
    ),
    refused('"; from=<a@b.c> to=<info@bob.example> proto=ESMTP helo=<y"@alice.example'),
    refused('no@alice.example', '"a> to=<info"@bob.example> proto=ESMTP helo=<y'),
    `submission/smtpd[1]: NOQUEUE: reject: RCPT from x[203.0.113.9]: 554 5.7.1 <info@bob.example>: Recipient address rejected: Access denied; from=<w@ext.example> to=<info@bob.example> proto=ESMTP helo=<x> sasl_username=<info@bob.example>`,
    `smtpd[1]: EV0000: client=mx.ext.example[203.0.113.9], sasl_method=PLAIN, sasl_username=info@bob.example`,
    `cleanup[1]: EV0000: message-id=<x> ${forged}`,
    `dovecot[1]: ${forged}`,
  )
  expect(await rows(bob)).toEqual([])
  expect((await rows(alice)).map(({ outcome }: Json) => outcome)).toEqual(['rejected', 'rejected', 'delivered'])
})

test('of a flood of refused mail 10,000 rows an account and day are stored', async () => {
  const { panel, alice, bob, log, rows, file, now } = await withMail()
  log(refused('nobody@bob.example'))
  const flood = `${new Date(now).toISOString()} host postfix/${refused('nobody@alice.example')}\n`
  appendFileSync(file, flood.repeat(10_010))
  let stored = 0
  for (let next = '', more = true; more; ) {
    const { body } = await panel.get(`/accounts/${alice.id}/email/trace?limit=500${next && `&after=${next}`}`)
    stored += body.items.length
    ;({ more, next } = body)
  }
  expect(stored).toBe(10_000)
  expect(await rows(bob)).toHaveLength(1)
})

test('rows go after the days of the setting, and with the account', async () => {
  const { panel, alice, bob, log, rows, file, now } = await withMail()
  const old = `${new Date(now - 2 * 86_400_000).toISOString()} host postfix/${refused('nobody@alice.example')}\n`
  appendFileSync(file, old)
  log(refused('nobody@alice.example'), refused('nobody@bob.example'))
  expect(await rows(alice)).toHaveLength(2)
  expect(statSync(join(panel.dir, 'host/mail-trace.db')).mode & 0o777).toBe(0o600)
  for (const mail_trace_days of [0, 91]) expect((await panel.patch('/settings', { mail_trace_days })).status).toBe(400)
  expect((await panel.patch('/settings', { mail_trace_days: 1 })).status).toBe(200)
  expect(await rows(alice)).toHaveLength(1)
  await panel.delete(`/accounts/${bob.id}?confirm=bob`)
  await panel.settle()
  expect((await panel.get('/mail/trace')).body.items).toMatchObject([{ username: 'alice' }])
})

test('the queue says how often a delivery has begun', async () => {
  const { panel } = await withMail()
  mkdirSync(join(panel.dir, 'host/mail-queue'))
  const message = { from: 'w@ext.example', to: ['x@ext.example'], size: 5, arrivedAt: 1, reason: 'No.', attempts: 3 }
  writeFileSync(join(panel.dir, 'host/mail-queue/4jbtcD1XDvzJDKa.json'), JSON.stringify(message))
  expect((await panel.get('/mail/queue')).body.items).toMatchObject([{ attempts: 3 }])
})

const rewritten = 'SRS0=AAAAAAAA=AA=ext.example=w@alice.example'
const forwarded = { direction: 'in', from: 'w@ext.example', to: 'info@alice.example', client: '203.0.113.9' }

test.each([
  ['before it is said whose it is', true],
  ['after that', false],
])('a forwarded message is one row with its true sender, if it arrives %s', async (_, isEarly) => {
  const { alice, log, rows } = await withMail()
  log(client('FW0000'), active('FW0000', 'w@ext.example'))
  const again = returned('FW0000', 'x@ext.example', 'info@alice.example', 'NEXT00')
  const arriving = [active('NEXT00', rewritten), sent('NEXT00', 'x@ext.example'), 'qmgr[1]: NEXT00: removed']
  log('forward/smtpd[1]: NEXT00: client=localhost[127.0.0.1]')
  if (!isEarly) log(again)
  log(...arriving, ...(isEarly ? [again] : []))
  const found = await rows(alice)
  expect(found).toMatchObject([
    { ...forwarded, outcome: 'forwarded', queue_id: 'NEXT00', remote_host: 'mx.ext.example', size: 500 },
  ])
})

test('a forwarded message waits under its new id, until it is delivered, returned or deleted', async () => {
  const { alice, bob, log, rows } = await withMail()
  const next = async () => (await rows(alice)).map(({ outcome, queue_id }: Json) => [outcome, queue_id])
  log(client('FW0000'), active('FW0000', 'w@ext.example'))
  const unreachable = `forward/lmtp[1]: FW0000: to=<x@ext.example>, orig_to=<info@alice.example>, relay=none, delay=1, delays=0/0/1/0, dsn=4.4.1, status=deferred (connect to host[private/panel-forward]: No such file or directory)`
  log(unreachable)
  expect(await next()).toEqual([['deferred', 'FW0000']])
  log(returned('FW0000', 'x@ext.example', 'info@alice.example', 'NEXT00'), 'qmgr[1]: FW0000: removed')
  expect(await next()).toEqual([['queued', 'NEXT00']])
  log(active('NEXT00', rewritten), deferred('NEXT00', 'x@ext.example'))
  expect(await next()).toEqual([['deferred', 'NEXT00']])
  log('postsuper[1]: NEXT00: removed')
  expect(await next()).toEqual([['discarded', 'NEXT00']])
  expect(await rows(bob)).toEqual([])
})

test('a stranger who sends under such a sender gets no row for others', async () => {
  const { alice, bob, log, rows } = await withMail()
  log(client('IN0000'), active('IN0000', rewritten), stored('IN0000', 'info@bob.example'))
  expect(await rows(alice)).toEqual([])
  expect(await rows(bob)).toMatchObject([{ from: rewritten, to: 'info@bob.example', outcome: 'delivered' }])
})
