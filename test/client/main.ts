import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const panel = process.argv[2]!

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  await new Promise((closed) => probe.close(closed))
  return port
}

/** Posts to the server's socket: whoever can open it is root. */
function postAsRoot<T>(socketPath: string, path: string, body: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' }
    const call = request({ socketPath, method: 'POST', path: `/api/v1${path}`, headers }, async (answer) => {
      const text = (await answer.setEncoding('utf8').toArray()).join('')
      if (answer.statusCode === 201) resolve(JSON.parse(text) as T)
      else reject(new Error(`POST ${path}: ${answer.statusCode} ${text}`))
    })
    call.on('error', reject).end(JSON.stringify(body))
  })
}

async function untilUp(server: ChildProcess, socket: string): Promise<void> {
  for (const until = Date.now() + 30_000; Date.now() < until; await sleep(50)) {
    if (server.exitCode !== null) throw new Error(`panel serve ended with ${server.exitCode}`)
    if (existsSync(socket)) return
  }
  throw new Error('panel serve did not open its socket')
}

const certificateBelow = (directory: string) => {
  const name = readdirSync(directory).find((file) => /cert|crt/.test(file))
  return join(directory, name ?? 'cert.pem')
}

/** Runs the client in its own process, which trusts the server's certificate. */
async function runClient(data: string, port: number): Promise<number> {
  const socket = join(data, 'panel.sock')
  const scopes = ['accounts:write', 'packages:write']
  const { secret } = await postAsRoot<{ secret: string }>(socket, '/tokens', { name: 'billing', scopes })
  const large = await postAsRoot<{ id: string }>(socket, '/packages', { name: 'large', disk_quota_mb: 10_000 })
  const env = {
    ...process.env,
    NODE_EXTRA_CA_CERTS: certificateBelow(join(data, 'tls')),
    PANEL_URL: `https://localhost:${port}/api/v1`,
    PANEL_TOKEN: secret,
    PANEL_PACKAGE: large.id,
  }
  const client = spawn(process.execPath, [join(import.meta.dirname, 'client.js')], { env, stdio: 'inherit' })
  const [code] = (await once(client, 'exit')) as [number | null]
  return code ?? 1
}

const STOP_TIMEOUT_MS = 10_000

/** Stops the server like an admin would; taking long is an error. */
async function stopped(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const exit = once(server, 'exit')
  server.kill('SIGTERM')
  if ((await Promise.race([exit, sleep(STOP_TIMEOUT_MS, 'late', { ref: false })])) !== 'late') return
  console.error(`panel serve did not end within ${STOP_TIMEOUT_MS / 1000} s of SIGTERM`)
  process.exitCode = 1
  server.kill('SIGKILL')
  await exit
}

const data = mkdtempSync(join(tmpdir(), 'panel-'))
const port = await freePort()
const options = ['--data-dir', data, '--host', '127.0.0.1', '--hostname', 'localhost', '--port', String(port)]
const log = `${data}.log`
const output = openSync(log, 'w')
const server = spawn(process.execPath, [panel, 'serve', ...options], { stdio: ['ignore', output, output] })
try {
  await untilUp(server, join(data, 'panel.sock'))
  process.exitCode = await runClient(data, port)
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await stopped(server)
  if (process.exitCode) console.error(readFileSync(log, 'utf8'))
  rmSync(data, { recursive: true })
  rmSync(log)
}
