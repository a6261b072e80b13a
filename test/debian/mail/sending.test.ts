import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Submitted } from '../../../src/host/debian/mail/milter/session.ts'
import { MAX_WAITING_BYTES, Sending } from '../../../src/host/debian/mail/sending.ts'
import { Sent } from '../../../src/host/debian/mail/sent.ts'
import { SubmitLists } from '../../../src/host/debian/mail/submit-lists.ts'
import { sendersText, TenantList } from '../../../src/host/debian/mail/tenants.ts'
import type { WaitingMail } from '../../../src/host/debian/mail/waiting.ts'
import { tempDir } from '../../host/helpers.ts'

const minute = 60_000

/** Bob may send 5 an hour, and his mailbox slow 2; ann has no limit. */
function bench() {
  const root = tempDir()
  const etc = join(root, 'etc')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(etc, path)), { recursive: true })
    writeFileSync(join(etc, path), text)
  }
  const tenant = (name: string, uid: number, limit: string) => {
    write(`users.d/${name}`, `${name}:x:${uid}:${uid}::/home/${name}:/usr/sbin/nologin\n`)
    write(`limits.d/${name}`, `disk_mb=unlimited\nemails_per_hour=${limit}\n`)
    write(`mail/domains.d/${name}`, `${name}.example ${name}\n`)
    write(
      `mail/senders.d/${name}`,
      `info@${name}.example info@${name}.example\nslow@${name}.example slow@${name}.example\n`,
    )
    write(`mail/dkimsign.d/${name}`, `*@${name}.example panel1._domainkey.${name}.example\n`)
  }
  tenant('bob', 20001, '5')
  tenant('ann', 20002, 'unlimited')
  write('mail/rates.d/bob', 'slow@bob.example 2\n')
  const clock = { now: 1_800_000_000_000 }
  const file = join(root, 'sent.json')
  const tenants = new TenantList(etc)
  const sent = new Sent(file, () => clock.now)
  onTestFinished(() => sent.keep())
  return { etc, write, clock, file, tenants, sent, sending: new Sending(tenants, sent) }
}

const mail = (over: Partial<Submitted> = {}): Submitted => ({
  login: 'info@bob.example',
  sender: 'info@bob.example',
  recipients: [],
  headers: [['From', 'Bob <info@bob.example>']],
  ...over,
})

const ofUid = (uid: number, over: Partial<Submitted> = {}): Submitted =>
  mail({
    login: undefined,
    recipients: ['x@y.example'],
    ...over,
    headers: [['X-Panel-Uid', String(uid)], ...(over.headers ?? [['From', 'info@bob.example']])],
  })

const accountIsOver = '450 4.7.1 This account may send to 5 recipients in an hour; try again later'

test('an account and a mailbox may send up to their limit in any 60 minutes', () => {
  const { clock, sending } = bench()
  const { recipient } = sending.bySmtp
  const slow = mail({ login: 'slow@bob.example' })
  expect([recipient(slow), recipient(slow)]).toEqual([undefined, undefined])
  expect(recipient(slow)).toBe('450 4.7.1 This mailbox may send to 2 recipients in an hour; try again later')
  clock.now += 30 * minute
  for (let n = 0; n < 3; n++) expect(recipient(mail())).toBeUndefined()
  expect(recipient(mail())).toBe(accountIsOver)
  clock.now += 30 * minute
  expect(recipient(slow)).toBeUndefined()
  expect(sending.sentBy({ uid: 20001 })).toBe(4)
})

test('messages of programs count together with those sent over SMTP', () => {
  const { sending, tenants } = bench()
  const three = ofUid(20001, { recipients: ['a@y.example', 'b@y.example', 'c@y.example'] })
  expect(sending.byProgram.complete(three)).toEqual({ signer: 'panel1._domainkey.bob.example' })
  expect(sending.byProgram.complete(three)).toEqual({ refused: accountIsOver })
  expect(sending.bySmtp.recipient(mail())).toBeUndefined()
  expect(sending.bySmtp.recipient(mail())).toBeUndefined()
  expect([...tenants.all()].filter(sending.isOver).map(({ username }) => username)).toEqual(['bob'])
})

test('programs of an account may send under its name, none, and addresses of its domains', () => {
  const { tenants, write } = bench()
  write('mail/domains.d/bob', 'bob.example bob\nbob-shop.example bob\n')
  expect(sendersText([...tenants.all()])).toBe('ann ann <> @ann.example\nbob bob <> @bob-shop.example @bob.example\n')
})

test('a message that was aborted does not count', () => {
  const { sending } = bench()
  sending.bySmtp.recipient(mail())
  sending.bySmtp.dropped(mail({ recipients: ['a@y.example'] }))
  expect(sending.sentBy({ uid: 20001 })).toBe(0)
})

test('the count survives a restart', () => {
  const { sending, sent, file, clock } = bench()
  sending.bySmtp.recipient(mail())
  sent.keep()
  expect(new Sent(file, () => clock.now).of('20001')).toBe(1)
  expect(new Sent(file, () => clock.now + 61 * minute).of('20001')).toBe(0)
  writeFileSync(file, 'broken')
  expect(new Sent(file).of('20001')).toBe(0)
})

test.each([
  ['info@bob.example', 'panel1._domainkey.bob.example'],
  ['"a@ann.example" <info@BOB.example>', 'panel1._domainkey.bob.example'],
  ['info@ann.example', undefined],
  ['info@bob.example, info@ann.example', undefined],
  ['info@bob.example <info@ann.example>', undefined],
  ['<info@ann.example> <info@bob.example>', undefined],
  ['info@elsewhere.example', undefined],
  ['', undefined],
])('chooses the signing domain for the author %j: %s', (author, signer) => {
  const { sending } = bench()
  expect(sending.bySmtp.complete(mail({ headers: [['From', author]] }))).toEqual({ signer })
  expect(sending.byProgram.complete(ofUid(20001, { headers: [['from', author]] }))).toEqual({ signer })
})

test('signs nothing with two authors', () => {
  const { sending } = bench()
  const from = ['From', 'info@bob.example'] as const
  expect(sending.bySmtp.complete(mail({ headers: [from, from] }))).toEqual({ signer: undefined })
})

test('programs cannot send as another account, and only as the user the mail server reports', () => {
  const { sending } = bench()
  const { complete: full } = sending.byProgram
  expect(full(ofUid(20001, { sender: 'info@ann.example' }))).toEqual({
    refused: '550 5.7.1 The sender belongs to another account',
  })
  expect(full(ofUid(20001, { sender: '' }))).toMatchObject({ signer: expect.any(String) })
  expect(full(ofUid(20002, { sender: 'info@ann.example' }))).toEqual({ signer: undefined })
  const later = [
    ['From', 'info@bob.example'],
    ['X-Panel-Uid', '20001'],
  ] as const
  expect(full(mail({ login: undefined, headers: later }))).toMatchObject({ refused: expect.stringMatching(/^450/) })
  expect(full(ofUid(29999))).toMatchObject({ refused: expect.stringMatching(/^450/) })
  expect(full(ofUid(0, { sender: 'root@ann.example' }))).toEqual({})
})

test('a login that has been suspended since, or is unknown, sends nothing', () => {
  const { sending, tenants, write, etc } = bench()
  expect(sending.bySmtp.sender(mail())).toBeUndefined()
  write('mail/nosubmit.d/bob', 'bob suspended\n')
  tenants.changed('bob', 20001)
  expect(sending.bySmtp.sender(mail())).toBe('421 4.7.0 This account is suspended')
  expect(sending.bySmtp.sender(mail({ login: 'other@bob.example' }))).toMatch(/^450/)
  rmSync(join(etc, 'users.d/bob'))
  tenants.changed('bob', 20001)
  expect([tenants.withUid(20001), tenants.ofDomain('bob.example')]).toEqual([undefined, undefined])
  expect(sending.bySmtp.recipient(mail())).toMatch(/^450/)
})

test('lists that cannot be written stop nothing, and are written once they can be', () => {
  const { tenants } = bench()
  const root = tempDir()
  const folder = join(root, 'etc/panel/submit')
  const obstacle = join(folder, 'over.panel-new')
  mkdirSync(obstacle, { recursive: true })
  const lists = new SubmitLists({ tenants, isOver: ({ username }) => username === 'bob', root })
  lists.write()
  expect(readdirSync(folder)).toEqual(['over.panel-new'])
  rmSync(obstacle, { recursive: true })
  lists.write()
  const text = (name: string) => readFileSync(join(folder, name), 'utf8')
  expect([text('over'), text('senders')]).toEqual(['bob over\n', sendersText([...tenants.all()])])
})

test('an account whose mail waits beyond the limit hands over no more, whatever the senders are', () => {
  const { tenants, sent } = bench()
  const noted: [string, number][] = []
  let bytes = 0
  const waiting = {
    of: (uid: number) => (uid === 20002 ? bytes : 0),
    note: (id: string, uid: number) => noted.push([id, uid]),
  }
  const sending = new Sending(tenants, sent, () => {}, waiting as unknown as WaitingMail)
  const ann = mail({ login: 'info@ann.example', sender: 'info@ann.example' })
  const refusals = () => [sending.bySmtp.recipient(ann), sending.isOver(tenants.withUid(20002)!)]
  expect(refusals()).toEqual([undefined, false])
  sending.bySmtp.complete({ ...ann, recipients: ['a@x.example'], queueId: 'A1' })
  sending.byProgram.complete(ofUid(20002, { sender: '', recipients: ['a@x.example'], queueId: 'A2' }))
  expect(noted).toEqual([
    ['A1', 20002],
    ['A2', 20002],
  ])
  bytes = MAX_WAITING_BYTES + 1
  expect(refusals()).toEqual(['450 4.7.1 Too much mail of this account waits to be sent; try again later', true])
  expect(sending.bySmtp.recipient(mail())).toBe(undefined)
  // What was handed over before goes on.
  expect(sending.byProgram.complete(ofUid(20002, { sender: '', recipients: ['a@x.example'] }))).not.toHaveProperty(
    'refused',
  )
})
