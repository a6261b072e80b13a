import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { servePolicy } from '../../../src/host/debian/mail/refused.ts'
import { addressIn, RewrittenSenders, textOf } from '../../../src/host/debian/mail/srs/addresses.ts'
import { Bounces, MAX_BOUNCES_PER_HOUR, serveMap } from '../../../src/host/debian/mail/srs/bounces.ts'
import { senderOf, serveForwarding } from '../../../src/host/debian/mail/srs/forwarding.ts'
import { SenderKeys } from '../../../src/host/debian/mail/srs/keys.ts'
import { tempDir } from '../../host/helpers.ts'

const day = 86_400_000

function bench() {
  const clock = { now: 20_000 * day }
  const file = join(tempDir(), 'keys.json')
  const keys = () => new SenderKeys(file, () => clock.now)
  const senders = new RewrittenSenders(keys().all, () => clock.now)
  const forward = (sender: string, by = 'a.example') => textOf(senders.forward(addressIn(sender)!, by))
  const reverse = (address: string) => {
    const found = senders.reverse(addressIn(address)!)
    return found && textOf(found)
  }
  return { clock, file, keys, senders, forward, reverse, bounces: new Bounces(senders, () => clock.now) }
}

test('a bounce leads back to the sender, whatever the sender is', () => {
  const { forward, reverse } = bench()
  expect(forward('world@ext.example')).toMatch(/^SRS0=[A-Z2-7]{8}=[A-Z2-7]{2}=ext\.example=world@a\.example$/)
  for (const sender of [
    'world@ext.example',
    'bounces+1-a=b.example@em.ext.example',
    "o'hara=x==y@ext.example",
    '"a b@c\\"d"@ext.example',
    'SRS0garbage@ext.example',
  ])
    expect(reverse(forward(sender))).toBe(sender)
})

test('mail that was forwarded before leads back to the first that has rewritten it', () => {
  const { forward, reverse } = bench()
  const first = 'SRS0=abcd=ef=first.example=joe@far.example'
  const second = forward(first)
  expect(second).toMatch(/^SRS1=[A-Z2-7]{8}=far\.example==abcd=ef=first\.example=joe@a\.example$/)
  expect(reverse(second)).toBe(first)
  const third = forward('SRS1=hash=far.example==abcd=ef=first.example=joe@mid.example')
  expect(third).toMatch(/^SRS1=[A-Z2-7]{8}=far\.example==abcd=ef=first\.example=joe@a\.example$/)
  expect(reverse(third)).toBe(first)
  expect(reverse(forward('SRS0-abcd-ef-first.example-joe@far.example'))).toBe(
    'SRS0-abcd-ef-first.example-joe@far.example',
  )
})

test('servers on the route may change the case of letters, and nothing else', () => {
  const { forward, reverse } = bench()
  const address = forward('World@ext.example')
  expect(reverse(address.toLowerCase())).toBe('world@ext.example')
  expect(reverse(address.toUpperCase())).toBe('WORLD@ext.example')
  for (const altered of [
    address.replace('World', 'other'),
    address.replace('ext.example', 'ext2.example'),
    address.replace('@a.example', '@b.example'),
    address.replace(/=(.)/, (_, letter: string) => `=${letter === 'A' ? 'B' : 'A'}`),
    address.replace('SRS0', 'SRS1'),
    'SRS0=AAAAAAAA=AA=ext.example=World@a.example',
    'SRS1=AAAAAAAA=ext.example==World@a.example',
    'SRS0=@a.example',
    'SRS0===@a.example',
  ])
    expect(reverse(altered)).toBeUndefined()
})

test('is accepted for 21 days, and no longer where stamps repeat', () => {
  const { forward, reverse, clock } = bench()
  const address = forward('world@ext.example')
  clock.now += 21 * day
  expect(reverse(address)).toBe('world@ext.example')
  clock.now += day
  expect(reverse(address)).toBeUndefined()
  clock.now -= 23 * day
  expect(reverse(address)).toBeUndefined()
})

test('the keys are only for root, survive a restart, and are renewed', () => {
  const { forward, reverse, clock, file, keys } = bench()
  const first = forward('SRS0=abcd=ef=first.example=joe@far.example')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(keys().all()).toHaveLength(1)
  clock.now += 91 * day
  const second = forward('world@ext.example')
  expect(keys().all()).toHaveLength(2)
  expect([reverse(first), reverse(second)]).toEqual([expect.any(String), expect.any(String)])
  clock.now += 22 * day
  expect(keys().all()).toHaveLength(1)
  expect(reverse(first)).toBeUndefined()
  writeFileSync(file, '{"current":"x"}')
  expect(keys().all()).toHaveLength(1)
  expect(JSON.parse(readFileSync(file, 'utf8')).current).toHaveLength(44)
})

test('takes bounces alone, a hundred an hour for a domain', () => {
  const { forward, bounces, clock } = bench()
  const decide = (recipient: string, sender = '') => bounces.decide(new Map(Object.entries({ recipient, sender })))
  const address = forward('world@ext.example')
  expect(decide(address, 'x@y.example')).toBe('550 5.7.1 This address takes bounces only')
  expect(decide(address.replace('world', 'other'))).toBe('550 5.1.1 This address was altered, or is too old')
  expect(bounces.decide(new Map([['recipient', address]]))).toMatch(/^550 5\.7\.1/)
  for (let n = 0; n < MAX_BOUNCES_PER_HOUR; n++) expect(decide(address)).toBe('OK')
  expect(decide(address)).toBe('450 4.7.1 Too many bounces for this domain; try again later')
  expect(decide(forward('world@ext.example', 'b.example'))).toBe('OK')
  clock.now += 3_600_000
  expect(decide(address)).toBe('OK')
})

test('without room for a key bounces are put off, and a former key goes on', async () => {
  const clock = { now: 20_000 * day }
  const folder = join(tempDir(), 'none')
  const keys = new SenderKeys(join(folder, 'keys.json'), () => clock.now)
  const senders = new RewrittenSenders(keys.all, () => clock.now)
  const { decide, reverse } = new Bounces(senders, () => clock.now)
  const address = 'SRS0=AAAAAAAA=AA=ext.example=w@a.example'
  expect(decide(new Map([['recipient', address]]))).toBe('450 4.3.0 Bounces are not taken now; try again later')
  const map = await linked((stream) => serveMap(stream, reverse))
  map.setEncoding('utf8')
  const request = `bounces ${address}`
  map.write(`${request.length}:${request},`)
  expect((await once(map, 'data'))[0]).toBe('28:TEMP the keys cannot be read,')
  mkdirSync(folder)
  const before = keys.all()
  rmSync(folder, { recursive: true })
  clock.now += 91 * day
  expect(keys.all()).toEqual(before)
})

/** A server of this test, and a connection to it. */
async function linked(serve: (stream: Socket) => void) {
  const path = join(tempDir(), 'socket')
  const server = createServer(serve).listen(path)
  await once(server, 'listening')
  const stream = connect(path)
  stream.on('error', () => {})
  onTestFinished(() => {
    stream.destroy()
    server.close()
  })
  return stream
}

test('Postfix asks by its own protocols', async () => {
  const { forward, bounces } = bench()
  const address = forward('"a b"@ext.example')
  const map = await linked((stream) => serveMap(stream, bounces.reverse))
  map.setEncoding('utf8')
  const request = `bounces ${address}`
  map.write(`${request.length}:${request.slice(0, 10)}`)
  map.write(`${request.slice(10)},14:bounces x@y.de,`)
  expect((await once(map, 'data'))[0]).toBe('20:OK "a b"@ext.example,9:NOTFOUND ,')
  const ended = once(map, 'close')
  map.write('999999:x')
  await ended
  const policy = await linked((stream) => servePolicy(stream, bounces.decide))
  policy.setEncoding('utf8')
  // Only the first of each name counts: what follows may be part of an address.
  policy.write(`request=smtpd_access_policy\nsender=x@y.example\nrecipient=${address}\nsender=\n\n`)
  expect((await once(policy, 'data'))[0]).toBe('action=550 5.7.1 This address takes bounces only\n\n')
})

/** A Postfix that takes mail back: what it got, and what it answers to recipients and to a message's end. */
async function withPostfix(answers: Partial<Record<string, string>> = {}) {
  const got: string[] = []
  const path = join(tempDir(), 'return')
  const serve = async (stream: Socket) => {
    stream.on('error', () => {})
    stream.write('220 host ESMTP\r\n')
    let inMessage = false
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      got.push(line)
      if (inMessage && line !== '.') continue
      const reply = answers[line] ?? (line === 'DATA' ? '354 Go on' : '250 2.0.0 Ok')
      stream.write(`${line === '.' ? (answers['.'] ?? '250 2.0.0 Ok: queued as NEXT00') : reply}\r\n`)
      inMessage = line === 'DATA' && reply.startsWith('354')
    }
  }
  const server = createServer((stream) => void serve(stream).catch(() => {})).listen(path)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const isOwn = (domain: string) => ['a.example', 'b.example'].includes(domain)
  const rewrite = ({ local, domain }: { local: string; domain: string }, by: string) => ({
    local: `SRS0=${domain}=${local}`,
    domain: by,
  })
  const senderFor = (sender: string, original: string) => senderOf(sender, original, rewrite, { isOwn })
  const lmtp = await linked((stream) => void serveForwarding(stream, { socket: path, senderFor }))
  const replies = createInterface({ input: lmtp })[Symbol.asyncIterator]()
  const next = async (count: number) => {
    const lines: string[] = []
    while (lines.length < count) lines.push((await replies.next()).value!)
    return lines
  }
  const say = (...lines: string[]) => void lmtp.write(lines.map((line) => `${line}\r\n`).join(''))
  expect(await next(1)).toEqual(['220 localhost LMTP'])
  say('LHLO host')
  expect(await next(5)).toContain('250-DSN')
  return { got, say, next, lmtp, server }
}

test('hands a message back under the sender of the domain that forwards it, unchanged', async () => {
  const { got, say, next } = await withPostfix()
  say('MAIL FROM:<world@ext.example> SIZE=9 BODY=8BITMIME', 'RCPT TO:<x@far.example> ORCPT=rfc822;info+2Bx@a.example')
  say('DATA')
  expect(await next(3)).toEqual(['250 2.1.0 Ok', '250 2.1.5 Ok', '354 Go on'])
  say('Subject: x', '', '..dotted', '.', 'QUIT')
  expect(await next(2)).toEqual(['250 2.0.0 Ok: queued as NEXT00', '221 2.0.0 Bye'])
  expect(got).toEqual([
    'EHLO localhost',
    'MAIL FROM:<SRS0=ext.example=world@a.example> BODY=8BITMIME',
    'RCPT TO:<x@far.example>',
    'DATA',
    ...['Subject: x', '', '..dotted', '.', 'QUIT'],
  ])
})

test('recipients of several domains get a message of each, and each recipient its own answer', async () => {
  const { got, say, next } = await withPostfix({ 'RCPT TO:<y@far.example>': '550 5.1.1 no such user' })
  say('MAIL FROM:<world@ext.example>')
  say(
    ...['x@far.example> ORCPT=rfc822;info@a.example', 'y@far.example> ORCPT=rfc822;info@a.example'].map(
      (text) => `RCPT TO:<${text}`,
    ),
  )
  say('RCPT TO:<z@far.example> ORCPT=rfc822;info@b.example', 'DATA')
  await next(5)
  say('.')
  expect(await next(3)).toEqual([
    '250 2.0.0 Ok: queued as NEXT00',
    '550 5.1.1 no such user',
    '250 2.0.0 Ok: queued as NEXT00',
  ])
  expect(got.filter((line) => line.startsWith('MAIL'))).toEqual([
    'MAIL FROM:<SRS0=ext.example=world@a.example>',
    'MAIL FROM:<SRS0=ext.example=world@b.example>',
  ])
})

test.each([
  ['', 'info@a.example'],
  ['me@b.example', 'info@a.example'],
  ['SRS0=x=y=ext.example=world@b.example', 'info@a.example'],
  ['root@ext.example', 'x@far.example'],
  ['root@ext.example', ''],
])('the sender %j of what was sent to %j stays', async (sender, original) => {
  const { got, say, next } = await withPostfix()
  say(`MAIL FROM:<${sender}>`, `RCPT TO:<x@far.example>${original && ` ORCPT=rfc822;${original}`}`, 'DATA')
  await next(3)
  say('.')
  await next(1)
  expect(got[1]).toBe(`MAIL FROM:<${sender}>`)
})

test('what Postfix does not take back waits, and is never half a message', async () => {
  const { got, say, next, lmtp, server } = await withPostfix({ '.': '451 4.3.0 queue file write error' })
  const send = async () => {
    say('MAIL FROM:<world@ext.example>', 'RCPT TO:<x@far.example> ORCPT=rfc822;info@a.example', 'DATA')
    await next(3)
  }
  await send()
  say('.')
  expect(await next(1)).toEqual(['451 4.3.0 queue file write error'])
  server.close()
  await send()
  say('.')
  expect(await next(1)).toEqual(['451 4.3.0 The mail server does not take it back now'])
  const before = got.filter((line) => line === '.').length
  await send()
  say('Subject: half')
  lmtp.destroy()
  await once(lmtp, 'close')
  expect(got.filter((line) => line === '.')).toHaveLength(before)
})

test.each([
  ['MAIL FROM:<a\0b@ext.example>', '501'],
  ['MAIL FROM:<a\x0bb@ext.example>', '501'],
  ['MAIL FROM:<a@ext.example> X Y=\x07', '501'],
  ['RCPT TO:<x@far.example', '501'],
  ['DATA', '503'],
  ['EXPN', '502'],
])('refuses %j', async (line, code) => {
  const { say, next } = await withPostfix()
  say(line)
  expect((await next(1))[0]!.slice(0, 3)).toBe(code)
})
