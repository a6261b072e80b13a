import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { greet } from '../../src/server/startup-banner.ts'
import { defaultDirectory } from '../../src/shared/directory.ts'
import { begin, place, startServer } from './server.ts'

/** Why a server does not start. */
async function refusal(dir: string, options: Parameters<typeof begin>[1] = {}): Promise<string> {
  const server = await begin(dir, options)
  expect(await server.exit).toBe(1)
  expect(server.out).toBe('')
  return server.err.trim()
}

test('a port in use is named, with the option that changes it', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  expect(await refusal(place(), { port })).toBe(
    `Port ${port} on 127.0.0.1 is in use. Stop the program that listens there, or choose another port with --port.`,
  )
})

test('an address of another machine is named, with --host', async () => {
  expect(await refusal(place(), { host: '192.0.2.1' })).toBe(
    '192.0.2.1 is not an address of this machine. Choose one of its addresses with --host.',
  )
})

test('a data directory that cannot be created is refused with one sentence, and the process exits', async () => {
  const file = join(place(), 'file')
  writeFileSync(file, '')
  expect(await refusal(join(file, 'below'))).toBe(
    `Cannot create ${file}/below: part of the path is not a directory. Choose a directory that you can write to with --data-dir.`,
  )
  expect(await refusal(file)).toBe(`${file} is not a directory. Choose one with --data-dir.`)
  expect(await refusal('/proc/x')).toBe(
    'Cannot create /proc/x: this file system does not allow new directories. Choose a directory that you can write to with --data-dir.',
  )
})

test('a certificate that is unreadable or invalid is named', async () => {
  const dir = place()
  const [tlsCert, tlsKey] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
  expect(await refusal(place(), { tlsCert, tlsKey })).toBe(`Cannot open ${tlsCert}: no such file or directory.`)
  for (const file of [tlsCert, tlsKey]) writeFileSync(file, 'nonsense')
  expect(await refusal(place(), { tlsCert, tlsKey })).toBe(
    `${tlsCert} and ${tlsKey} are not a certificate and its key in PEM form.`,
  )
})

test('plain HTTP on the HTTPS port is told in plain text to use https, and nothing is served', async () => {
  const server = await startServer(place())
  const socket = connect(server.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n')
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  await once(socket, 'close')
  const [head, body] = text.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: text\/plain; charset=utf-8\r\n/)
  expect(body).toBe('This port speaks HTTPS. Use https:// instead of http://.\n')
  expect((await server.send('GET', '/healthz')).status).toBe(200)
})

test('three lines lead to the pages: a link that signs root in until there is a password, and a command', async () => {
  const dir = join(place(), 'with space')
  mkdirSync(dir, { mode: 0o700 })
  const server = await startServer(dir)
  const [listens, link, next, ...more] = server.out.trimEnd().split('\n')
  expect(listens).toMatch(/^panel listens on https:\/\/.*\/api\/v1$/)
  expect(link).toMatch(/^Sign in as root, once, within 15 minutes: https:\/\/\S+\/user\/auth\/sso\?token=[\w-]+$/)
  expect(next).toMatch(
    /^Next, in another terminal: PANEL_DATA_DIR='.*with space' node .* accounts create alice --domain /,
  )
  expect(more).toEqual([])
  expect((await server.send('PUT', '/root/password', { new_password: 'correct horse battery' })).status).toBe(204)
  await server.kill('SIGTERM')
  const again = (await startServer(dir)).out.split('\n')
  expect(again[1]).toMatch(/^Sign in: https:\/\/[^/]+\/$/)
  expect(again[2]).toContain(' accounts list')
})

test('a service does not write the link to its journal, which others can read', async () => {
  expect((await startServer(place(), {}, { JOURNAL_STREAM: '8:1234' })).out).not.toContain('sso?token=')
})

test('the next steps need no variable if the data directory is the default one', () => {
  const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => output.mockRestore())
  greet({ url: 'https://x/api/v1', dataDir: defaultDirectory(), rootHasNoPassword: true, whmUrl: undefined })
  expect(output.mock.calls.join('')).not.toContain('PANEL_DATA_DIR')
})
