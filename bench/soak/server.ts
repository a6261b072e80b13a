import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const panel = fileURLToPath(new URL('../../bin/panel.js', import.meta.url))

/** What a server holds, as the kernel counts it. */
export interface Holding {
  readonly rssMb: number
  readonly descriptors: number
  readonly walMb: number
}

/** A real server process that can be killed and started again on its data directory. */
export class Server {
  readonly dataDir: string
  readonly port: number
  #child: ChildProcess | undefined

  constructor(dataDir: string, port: number) {
    this.dataDir = dataDir
    this.port = port
  }

  get socket(): string {
    return join(this.dataDir, 'panel.sock')
  }

  /** Answers how many milliseconds it took until it was well. */
  async start(): Promise<number> {
    const began = performance.now()
    const where = [
      '--data-dir',
      this.dataDir,
      '--host',
      '127.0.0.1',
      '--hostname',
      'localhost',
      '--no-tls',
      '--port',
      String(this.port),
    ]
    this.#child = spawn(process.execPath, [panel, 'serve', ...where, '--log-level', 'error'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    for (let tries = 0; tries < 200; tries++) {
      if ((await this.send('GET', '/healthz').catch(() => undefined))?.status === 200) return performance.now() - began
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error('the server did not become well in five seconds')
  }

  /** Ends it as a power cut would. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM')
  }

  #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    return new Promise((resolve) => {
      if (!child || child.exitCode !== null) return resolve()
      child.once('exit', () => resolve())
      child.kill(signal)
    })
  }

  holding(): Holding {
    const pid = this.#child?.pid
    const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    const wal = statSync(join(this.dataDir, 'panel.db-wal'), { throwIfNoEntry: false })?.size ?? 0
    return { rssMb: Number(rss) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length, walMb: wal / 2 ** 20 }
  }

  /** Sends over the local socket, as root. */
  send(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers =
      text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }
    return new Promise((resolve, reject) => {
      const sent = request({ socketPath: this.socket, method, path, headers, timeout: 15_000 }, (answer) => {
        let read = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => {
          read += chunk
        })
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: read === '' ? undefined : JSON.parse(read) }),
        )
        answer.on('error', reject)
      })
      sent.on('timeout', () => sent.destroy(new Error('no answer in 15 s')))
      sent.on('error', reject)
      sent.end(text)
    })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON, checked by the tests against their schemas
export type Json = any

/** A port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
