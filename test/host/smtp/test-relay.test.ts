import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { RelayTest } from '../../../src/host/contract/commands/mail.ts'
import { testRelay } from '../../../src/host/smtp/test-relay.ts'

let dir: string
let secure: { cert: Buffer; key: Buffer }
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'relay-'))
  const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert]
  execFileSync('openssl', [...made, ...named], { stdio: 'ignore' })
  secure = { cert: readFileSync(cert), key: readFileSync(key) }
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const servers: Server[] = []
const sockets = new Set<Socket>()
afterEach(() => {
  for (const one of sockets) one.destroy()
  for (const one of servers.splice(0)) one.close()
})

/** The port of a server that handles each connection. */
async function listening(server: Server): Promise<number> {
  servers.push(server)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return (server.address() as AddressInfo).port
}

const secret = 'a secret word'

const run = (port: number, fields: Partial<RelayTest> = {}, options: Parameters<typeof testRelay>[1] = {}) =>
  testRelay(
    {
      ...{ host: 'localhost', port: port as 587, tls: 'starttls', username: 'AKIA1', password: secret },
      ...{ id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH', name: 'ses', at: 0, hostname: 'panel.example' },
      ...{ from: 'postmaster@alice.example', to: 'me@elsewhere.example', ...fields },
    },
    { trusted: join(dir, 'cert.pem'), ...options },
  )

/** A relay's answers by the first word of a line; `offers` are its extensions. */
function speak(socket: Socket, lines: string[], answers: Readonly<Record<string, string>>, offers: readonly string[]) {
  let isData = false
  let rest = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    const all = (rest + bytes.toString('latin1')).split('\r\n')
    rest = all.pop()!
    for (const line of all) {
      lines.push(line)
      if (isData && line !== '.') continue
      const verb = isData ? 'message' : line.split(' ')[0]!
      isData = verb === 'DATA'
      const hello = `${offers.map((one) => `250-${one}\r\n`).join('')}250 ok`
      socket.write(`${answers[verb] ?? { EHLO: hello, AUTH: '235 hello', DATA: '354 go' }[verb] ?? '250 ok'}\r\n`)
      if (verb !== 'STARTTLS') continue
      socket.removeAllListeners('data')
      speak(new TLSSocket(socket, { isServer: true, ...secure }), lines, answers, ['AUTH PLAIN LOGIN'])
    }
  })
}

async function relay(answers: Readonly<Record<string, string>> = {}): Promise<{ port: number; lines: string[] }> {
  const lines: string[] = []
  const port = await listening(
    createServer((socket) => {
      socket.write('220 relay ready\r\n')
      speak(socket, lines, { STARTTLS: '220 go', ...answers }, ['STARTTLS', 'AUTH PLAIN'])
    }),
  )
  return { port, lines }
}

test('a message leaves over verified TLS, after signing in', async () => {
  const { port, lines } = await relay()
  const { accepted, answers } = await run(port)
  expect(answers).toEqual([
    'connected: 220 relay ready',
    'EHLO panel.example: 250 STARTTLS AUTH PLAIN ok',
    'STARTTLS: 220 go',
    'EHLO panel.example: 250 AUTH PLAIN LOGIN ok',
    'AUTH PLAIN: 235 hello',
    'MAIL FROM:<postmaster@alice.example>: 250 ok',
    'RCPT TO:<me@elsewhere.example>: 250 ok',
    'DATA: 354 go',
    'message: 250 ok',
  ])
  expect(accepted).toBe(true)
  expect(lines.slice(0, 3).join()).not.toContain('AUTH')
  expect(lines).toContain('Subject: Test of the SMTP relay ses')
})

test('TLS from the first byte, without a user name', async () => {
  const lines: string[] = []
  const port = await listening(
    createTlsServer(secure, (socket) => {
      socket.write('220 relay ready\r\n')
      speak(socket, lines, {}, [])
    }),
  )
  expect(await run(port, { tls: 'tls', username: undefined, password: undefined })).toMatchObject({ accepted: true })
  expect(lines.join()).not.toContain('AUTH')
})

test('nothing is sent to a relay whose certificate is not trusted', async () => {
  const { port, lines } = await relay()
  const { accepted, answers } = await run(port, {}, { trusted: '/etc/ssl/certs/ca-certificates.crt' })
  expect([accepted, answers.at(-1)]).toEqual([false, 'self-signed certificate'])
  expect(lines).toEqual(['EHLO panel.example', 'STARTTLS'])
})

test('nothing is sent to a relay that does not encrypt, or that answers ahead of TLS', async () => {
  for (const [answer, reason] of [
    ['502 no', 'The relay refused it.'],
    ['220 go\r\n250-AUTH PLAIN\r\n250 ok', 'the server sent more than its answer before TLS began'],
  ] as const) {
    const { port, lines } = await relay({ STARTTLS: answer })
    const { accepted, answers } = await run(port)
    expect([accepted, answers.at(-1)]).toEqual([false, reason])
    expect(lines.join()).not.toContain('AUTH')
  }
})

test('what the relay repeats of the password is hidden, and of control characters', async () => {
  const repeated = Buffer.from(`\0AKIA1\0${secret}`).toString('base64')
  const { port } = await relay({ AUTH: `535 no \u001b[31m${secret} ${repeated}` })
  const { accepted, answers } = await run(port)
  expect(accepted).toBe(false)
  expect(answers.slice(-2)).toEqual(['AUTH PLAIN: 535 no ?[31m*** ***', 'The relay refused it.'])
})

test.each([
  ['never answers', () => {}, 'It took more than 0.3 s.'],
  [
    'answers in lines without end',
    (socket: Socket) => endless(socket, '220-again\r\n'.repeat(1000)),
    'the server does not speak SMTP',
  ],
  ['answers in a line without end', (socket: Socket) => endless(socket, 'x'.repeat(10_000)), 'a line is too long'],
  [
    'speaks something else',
    (socket: Socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'),
    'the server does not speak SMTP',
  ],
  ['hangs up', (socket: Socket) => socket.end(), 'the connection was closed'],
] as const)('a relay that %s', async (_, answer, reason) => {
  const port = await listening(createServer((socket) => void answer(socket)))
  const { accepted, answers } = await run(port, {}, { timeoutMs: 300 })
  expect([accepted, answers.at(-1)]).toEqual([false, reason])
})

function endless(socket: Socket, text: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(text)) {}
  }
  socket.on('drain', write)
  write()
}
