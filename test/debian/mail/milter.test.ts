import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { Packets, packetOf } from '../../../src/host/debian/mail/milter/protocol.ts'
import { type CheckMessage, type Submitted, serveMilter } from '../../../src/host/debian/mail/milter/session.ts'

/** Both ends of a connection in this process. */
function connection(): [Duplex, Duplex] {
  const ends: Duplex[] = []
  const end = (other: () => Duplex) =>
    new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        other().push(chunk)
        done()
      },
      final(done) {
        other().push(null)
        done()
      },
    })
  ends.push(
    end(() => ends[1]!),
    end(() => ends[0]!),
  )
  onTestFinished(() => ends.forEach((one) => void one.destroy()))
  return [ends[0]!, ends[1]!]
}

function bench(over: Partial<CheckMessage> = {}) {
  const [server, postfix] = connection()
  const seen: Submitted[] = []
  const dropped: Submitted[] = []
  const check: CheckMessage = {
    sender: () => undefined,
    recipient: () => undefined,
    complete: (mail) => {
      seen.push(structuredClone(mail))
      return {}
    },
    dropped: (mail) => void dropped.push(structuredClone(mail)),
    ...over,
  }
  serveMilter(server, check)
  const packets = new Packets()
  const answers: string[] = []
  postfix.on('data', (bytes: Buffer) => {
    for (const { command, data } of packets.take(bytes)) answers.push(`${command}${data.toString('latin1')}`)
  })
  const say = (command: string, ...texts: string[]) =>
    void postfix.write(packetOf(command, texts.map((text) => `${text}\0`).join('')))
  const macros = (of: string, ...pairs: string[]) =>
    void postfix.write(packetOf('D', `${of}${pairs.map((text) => `${text}\0`).join('')}`))
  return { server, postfix, seen, dropped, answers, say, macros }
}

const offered = Buffer.concat([
  Buffer.from([0, 0, 0, 6]),
  Buffer.from([0, 0, 1, 0xff]),
  Buffer.from([0, 0x1f, 0xff, 0xff]),
])

test('negotiates the headers it adds and the steps it skips', async () => {
  const { postfix, answers } = bench()
  postfix.write(packetOf('O', offered))
  await expect.poll(() => answers.length).toBe(1)
  const agreed = Buffer.from(answers[0]!.slice(1), 'latin1')
  expect([agreed.readUInt32BE(0), agreed.readUInt32BE(4), agreed.readUInt32BE(8)]).toEqual([6, 0x11, 0x393])
})

test('a message is reported completely, and signed by the header it returns', async () => {
  const { answers, say, macros, seen } = bench({
    complete: (mail) => {
      seen.push(structuredClone(mail))
      return { signer: 'panel1._domainkey.bob.example' }
    },
  })
  macros('M', 'i', 'QUEUE', '{auth_authen}', 'Info@Bob.Example')
  say('M', '<Info@bob.example>', 'SIZE=10')
  say('R', '<a@x.example>')
  say('R', '<b@x.example>')
  say('L', 'From', 'info@bob.example')
  say('N')
  say('E')
  await expect
    .poll(() => answers)
    .toEqual(['c', 'c', 'c', 'c', 'hX-Panel-Signer\0panel1._domainkey.bob.example\0', 'c'])
  expect(seen).toEqual([
    {
      login: 'info@bob.example',
      sender: 'info@bob.example',
      recipients: ['a@x.example', 'b@x.example'],
      headers: [['From', 'info@bob.example']],
      queueId: 'QUEUE',
    },
  ])
})

test('the header naming the submitter is removed from every message, refused ones included', async () => {
  const { answers, say } = bench({
    complete: ({ recipients }) => (recipients.length > 1 ? { refused: '550 5.7.1 no' } : { signer: undefined }),
  })
  for (const recipients of [['<a@x.example>'], ['<a@x.example>', '<b@x.example>']]) {
    say('M', '<info@bob.example>')
    for (const recipient of recipients) say('R', recipient)
    say('L', 'X-Panel-Uid', '20001')
    say('E')
  }
  const taken = 'm\0\0\0\x01X-Panel-Uid\0\0'
  await expect.poll(() => answers).toEqual(['c', 'c', taken, 'c', 'c', 'c', 'c', taken, 'y550 5.7.1 no\0'])
})

test('every header that names a submitter is removed, also one that a forged Received has made', async () => {
  const { answers, say } = bench({})
  say('M', '<info@bob.example>')
  say('L', 'X-Panel-Uid', '20001')
  say('L', 'X-Panel-Uid', '20002')
  say('E')
  const [second, first] = ['m\0\0\0\x02X-Panel-Uid\0\0', 'm\0\0\0\x01X-Panel-Uid\0\0']
  await expect.poll(() => answers).toEqual(['c', second, first, 'c'])
})

test('refusals are SMTP replies, and a refused recipient does not count', async () => {
  const { answers, say, seen } = bench({
    recipient: ({ recipients }) => (recipients.length > 0 ? '450 4.7.1 enough' : undefined),
  })
  say('M', '<>')
  say('R', '<a@x.example>')
  say('R', '<b@x.example>')
  say('E')
  await expect.poll(() => answers).toEqual(['c', 'c', 'y450 4.7.1 enough\0', 'c'])
  expect(seen[0]?.recipients).toEqual(['a@x.example'])
})

test('reports what was started and aborted, once', async () => {
  const { answers, say, dropped, postfix, server } = bench()
  say('M', '<a@bob.example>')
  say('R', '<a@x.example>')
  say('A')
  say('M', '<b@bob.example>')
  await expect.poll(() => answers.length).toBe(3)
  postfix.end()
  server.destroy()
  await once(server, 'close')
  expect(dropped.map(({ sender }) => sender)).toEqual(['a@bob.example', 'b@bob.example'])
})

test('packets are parsed however they are split, and an oversized one closes the connection', async () => {
  const packets = new Packets()
  const bytes = Buffer.concat([packetOf('M', 'x\0'), packetOf('N')])
  const found = [...bytes].flatMap((byte) => packets.take(Buffer.from([byte])))
  expect(found.map(({ command }) => command)).toEqual(['M', 'N'])
  const { server, postfix } = bench()
  postfix.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x4d]))
  await once(server, 'close')
  expect(server.destroyed).toBe(true)
})
