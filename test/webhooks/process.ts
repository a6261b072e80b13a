import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import type { ServeOptions } from '../../src/server/serve.ts'
import { builtAgent, builtServer } from '../built.ts'

const quiet = { host: '127.0.0.1', port: 0, hostname: 'localhost', noTls: true, logLevel: 'error' } as const

/** A real server process, reached over its local socket. */
export class ServerProcess {
  readonly #child: ChildProcess
  readonly #socket: string
  readonly #agent = new Agent({ keepAlive: true })
  errors = ''

  private constructor(child: ChildProcess, socket: string) {
    this.#child = child
    this.#socket = socket
    child.stderr!.on('data', (text: Buffer) => {
      this.errors += text
    })
  }

  /** Resolves when it listens. */
  static async start(dataDir: string): Promise<ServerProcess> {
    const options: ServeOptions = { ...quiet, dataDir, agent: await builtAgent() }
    const words = [await builtServer('test/serve/main.ts'), JSON.stringify(options)]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    const server = new ServerProcess(child, join(dataDir, 'panel.sock'))
    let output = ''
    for await (const text of child.stdout!) {
      output += text
      if (output.includes('panel listens on')) return server
    }
    throw new Error(`the server did not start: ${server.errors}`)
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
    this.#agent.destroy()
  }

  /** Asks it to stop; returns how long that took in milliseconds. */
  async stop(): Promise<number> {
    const began = performance.now()
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
    this.#agent.destroy()
    return performance.now() - began
  }

  /** Answers status and body; rejects when the server dies meanwhile. */
  send(method: string, path: string, body?: unknown): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json' }
      const options = { socketPath: this.#socket, method, path: `/api/v1${path}`, headers, agent: this.#agent }
      const sent = request(options, (response) => {
        let text = ''
        response.on('data', (chunk) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode!, body: text })).on('error', reject)
      })
      sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}
