import { createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { deliveries, event, sent, webhook } from './helpers.ts'

type Act = (socket: Socket) => void

/** A receiver that does as it likes with its socket, once the request has begun to come in. */
async function rawReceiver(act: Act): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.once('data', () => act(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

/** What the log says of one attempt against such a receiver; `wait` is how far the clock moves meanwhile. */
async function attempted(act: Act, wait = 0): Promise<{ attempt: Json; status: string; panel: TestPanel }> {
  const panel = await startPanel()
  const hook = await webhook(panel, { url: await rawReceiver(act) })
  await event(panel, 'small')
  if (wait > 0) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    await panel.clock.advance(wait)
  }
  await sent(panel)
  const [delivery] = await deliveries(panel, hook.id)
  expect(delivery.attempts).toHaveLength(1)
  return { attempt: delivery.attempts[0], status: delivery.status, panel }
}

const every = (socket: Socket, ms: number, write: () => void): void => {
  const timer = setInterval(write, ms)
  socket.on('close', () => clearInterval(timer))
}

test('slow headers are cut off after ten seconds', async () => {
  const head = 'HTTP/1.1 200 OK\r\nX-Slow: '
  const { attempt, status } = await attempted((socket) => {
    let place = 0
    every(socket, 5, () => socket.write(head[place++] ?? 'x'))
  }, 10_000)
  expect([attempt.error, status]).toEqual(['timeout', 'retrying'])
})

test('a slow body after 200 counts as delivered, and is not waited for', async () => {
  // The body never ends, and the clock stands still: the ten seconds do not end it either.
  const { attempt, status } = await attempted((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    every(socket, 20, () => socket.write('1\r\nx\r\n'))
  })
  expect([attempt.http_status, attempt.error, status]).toEqual([200, undefined, 'succeeded'])
  expect(attempt.response_start).toMatch(/^x+$/)
})

test('only the start of 200 MB is read and kept', async () => {
  let pushed = 0
  const chunk = Buffer.alloc(64 * 1024, 'y')
  const { attempt, status } = await attempted((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${200 * 1024 * 1024}\r\n\r\n`)
    const push = (): void => {
      while (pushed < 200 * 1024 * 1024 && !socket.destroyed) {
        pushed += chunk.length
        if (!socket.write(chunk)) return void socket.once('drain', push)
      }
    }
    push()
  })
  expect([attempt.http_status, status, attempt.response_start]).toEqual([200, 'succeeded', 'y'.repeat(1024)])
  expect(pushed).toBeLessThan(20 * 1024 * 1024)
})

test('a gzip bomb stays packed', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
  const before = process.memoryUsage().rss
  const { attempt, status } = await attempted((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
    socket.end(bomb)
  })
  expect([attempt.http_status, status]).toEqual([200, 'succeeded'])
  expect(attempt.response_start.length).toBeLessThanOrEqual(1024)
  expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024)
})

test.each<[string, string, Act]>([
  [
    'an upgrade nobody asked for',
    'answer',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  ],
  [
    'endless headers',
    'answer',
    (socket) =>
      every(socket, 1, () =>
        socket.write(
          `X-${'y'.repeat(1000)}: z\r\n`.replace('X-', `${socket.bytesWritten === 0 ? 'HTTP/1.1 200 OK\r\n' : ''}X-`),
        ),
      ),
  ],
  ['what is not HTTP', 'answer', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  ['a reset', 'connect', (socket) => socket.resetAndDestroy()],
  ['an end without an answer', 'connect', (socket) => socket.end()],
  ['half of a header', 'connect', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
])('counts %s as a failure: %s', async (_, error, act) => {
  const { attempt, status } = await attempted(act)
  expect([attempt.error, attempt.http_status, status]).toEqual([error, undefined, 'retrying'])
})

test('informational responses are cut off after ten seconds', async () => {
  const { attempt } = await attempted(
    (socket) => every(socket, 2, () => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n')),
    10_000,
  )
  expect(attempt.error).toMatch(/^(timeout|connect)$/)
})

test("a reset in the middle of a 200's body counts as delivered", async () => {
  const { attempt, status } = await attempted((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthanks')
    setTimeout(() => socket.resetAndDestroy(), 50)
  })
  expect([attempt.http_status, attempt.response_start, status]).toEqual([200, 'thanks', 'succeeded'])
})

test.each<[string, Buffer, string]>([
  ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xc0, 0x62]), 'a\ufffd\ufffdb'],
  ['NULs, escapes and a bell', Buffer.from('a\u0000b\u001b[31mc\u0007\n\td'), 'a\ufffdb\ufffd[31mc\ufffd\n\td'],
  ['a character cut in two', Buffer.from('ä'.repeat(600)).subarray(0, 1199), 'ä'.repeat(599)],
  ['more than is kept, in pairs', Buffer.from(`x${'😀'.repeat(600)}`), `x${'😀'.repeat(511)}`],
  ['markup, as it is', Buffer.from('<script>alert(1)</script>'), '<script>alert(1)</script>'],
])('keeps %s as text that is safe', async (_, bytes, expected) => {
  const { attempt } = await attempted((socket) => {
    socket.write(`HTTP/1.1 500 Oops\r\nContent-Length: ${bytes.length}\r\n\r\n`)
    socket.end(bytes)
  })
  expect(attempt.response_start).toBe(expected)
})
