import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ServeOptions } from '../../src/server/serve.ts'
import { builtAgent, builtServer } from '../built.ts'
import type { Json } from '../harness.ts'

/** A separate directory, deleted after the test. */
export function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-serve-'))
  // A killed server's children may still write their last file.
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 10 }))
  return dir
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Json
}

/** A server in its own process. */
export class ServerProcess {
  readonly dir: string
  readonly child: ChildProcess
  out = ''
  err = ''
  readonly exit: Promise<number | NodeJS.Signals>

  constructor(dir: string, child: ChildProcess) {
    this.dir = dir
    this.child = child
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      this.out += text
    })
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      this.err += text
    })
    this.exit = once(child, 'close').then(([code, signal]) => code ?? signal)
  }

  get socketPath(): string {
    return join(this.dir, 'panel.sock')
  }

  /** Where it reports to listen. */
  get port(): number {
    return Number(/listens on \w+:\/\/[^:]+:(\d+)/.exec(this.out)![1])
  }

  async up(): Promise<this> {
    while (!this.out.includes('Next,')) {
      const ended = await Promise.race([once(this.child.stdout!, 'data').then(() => undefined), this.exit])
      if (ended !== undefined) throw new Error(`the server ended with ${ended}: ${this.err}`)
    }
    return this
  }

  /** Sends a request over the local socket, as root. */
  send(method: string, path: string, body?: unknown, more: RequestOptions = {}): Promise<Answer> {
    const headers = { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...more.headers }
    const url = path.startsWith('/healthz') ? path : `/api/v1${path}`
    return new Promise((resolve, reject) => {
      const call = request({ socketPath: this.socketPath, method, path: url, ...more, headers }, (reply) => {
        let text = ''
        reply.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        reply.on('error', reject)
        reply.on('end', () => {
          const json = /json/.test(reply.headers['content-type'] ?? '')
          resolve({ status: reply.statusCode!, headers: reply.headers, body: json ? JSON.parse(text) : text })
        })
      })
      call.on('error', reject)
      call.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.child.kill(signal)
    return this.exit
  }
}

/** Starts a server; it is killed after the test if it still runs. */
export async function begin(...how: Parameters<typeof launch>): Promise<ServerProcess> {
  const server = await launch(...how)
  onTestFinished(() => end(server))
  return server
}

export async function end({ child, exit }: ServerProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await exit
}

/** Starts a server that its caller stops. */
export async function launch(
  dir: string,
  options: Partial<ServeOptions> = {},
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const agent = await builtAgent()
  const all: ServeOptions = { dataDir: dir, host: '127.0.0.1', hostname: 'host.example', port: 0, agent, ...options }
  const child = spawn(process.execPath, [await builtServer('test/serve/main.ts'), JSON.stringify(all)], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new ServerProcess(dir, child)
}

/** A running server. */
export const startServer = async (...how: Parameters<typeof begin>): Promise<ServerProcess> =>
  (await begin(...how)).up()
