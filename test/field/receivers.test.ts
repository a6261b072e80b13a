import { createServer, type Server } from 'node:net'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AnswerHeads, strictHead } from '../../src/outgoing/answer-head.ts'
import { runs } from '../fuzz.ts'
import { startPanel } from '../harness.ts'
import { deliveries, event, sent, webhook } from '../webhooks/helpers.ts'

/** Answers of receivers behind old proxies, hand-written servers and frameworks that hint early. */
const answers: readonly (readonly [string, string])[] = [
  ['unsolicited 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'],
  [
    '103 Early Hints',
    'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  ],
  ['102 and 103', 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'],
  ['an equal length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\nok'],
  ['lines that end with LF', 'HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 2\n\nok'],
  ['a header of 20 kB', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(20_000)}\r\nContent-Length: 2\r\n\r\nok`],
  ['HTTP/1.0 without a length', 'HTTP/1.0 200 OK\r\n\r\nok'],
]

async function receiver(answer: string, pieces: number): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      const size = Math.ceil(answer.length / pieces)
      for (let at = 0; at < answer.length; at += size) socket.write(answer.slice(at, at + size))
      socket.end()
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

describe('answers of receivers', () => {
  test.each(answers)('%s is a delivery', async (_, answer) => {
    const panel = await startPanel()
    const hook = await webhook(panel, { url: await receiver(answer, 7) })
    await event(panel, 'small')
    await sent(panel)
    const [delivery] = await deliveries(panel, hook.id)
    expect([delivery.status, delivery.attempts[0].error]).toEqual(['succeeded', undefined])
    expect(String(delivery.attempts[0].http_status)).toMatch(/^20[04]$/)
  })

  test.each([
    ['another length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    ['another protocol', '220 mail.example ESMTP\r\n'],
  ])('%s is not understood', async (_, answer) => {
    const panel = await startPanel()
    const hook = await webhook(panel, { url: await receiver(answer, 1) })
    await event(panel, 'small')
    await sent(panel)
    const [delivery] = await deliveries(panel, hook.id)
    expect([delivery.status, delivery.attempts[0].error]).toEqual(['retrying', 'answer'])
  })
})

describe('a head', () => {
  const line = fc.constantFrom('HTTP/1.1 200 OK', 'A: b', 'Content-Length: 1', 'content-length:1', 'X: é')
  const end = fc.constantFrom('\n', '\r\n')

  test('is the same however its bytes are cut', () => {
    const lines = fc.array(fc.tuple(line, end), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(lines, end, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (some, last, cuts) => {
        const head = `HTTP/1.1 200 OK\r\n${some.map((pair) => pair.join('')).join('')}${last}`
        const bytes = Buffer.from(`${head}body\n\nmore`, 'latin1')
        const heads = new AnswerHeads()
        heads.expect()
        const out: Buffer[] = []
        for (let at = 0, n = 0; at < bytes.length; n++) {
          const size = cuts[n % cuts.length]!
          out.push(heads.take(bytes.subarray(at, at + size)) ?? Buffer.alloc(0))
          at += size
        }
        expect(Buffer.concat(out).toString('latin1')).toBe(`${strictHead(head)}body\n\nmore`)
      }),
      runs(),
    )
  })

  test('any bytes are passed on in the end, at most 64 KiB late', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (chunks) => {
        const heads = new AnswerHeads()
        heads.expect()
        for (const chunk of chunks) heads.take(Buffer.from(chunk))
        expect(heads.take(Buffer.alloc(70_000, 'x'))).not.toBeNull()
      }),
      runs(),
    )
  })
})
