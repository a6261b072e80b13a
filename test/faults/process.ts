import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { builtAgent, builtServer } from '../built.ts'
import type { Json } from '../harness.ts'
import type { Kill } from './main.ts'

/** A response over the socket; undefined if the connection broke. */
export interface Heard {
  readonly status: number
  readonly code: string | undefined
  readonly body: Json
}

/** A server in its own process. */
export class Served {
  readonly dataDir: string
  readonly child: ChildProcess
  /** How it ended: a signal, or the exit code. */
  readonly ended: Promise<NodeJS.Signals | number | null>
  stdout = ''
  stderr = ''

  constructor(dataDir: string, child: ChildProcess) {
    this.dataDir = dataDir
    this.child = child
    this.ended = once(child, 'close').then(([code, signal]) => signal ?? code)
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text
    })
  }

  get port(): number {
    return Number(/:(\d+)\/api/.exec(this.stdout)?.[1])
  }

  /** Whether it started to listen; false if it exited before. */
  async listens(): Promise<boolean> {
    const listening = new Promise<true>((resolve) => {
      this.child.stdout?.on('data', () => {
        if (this.port > 0) resolve(true)
      })
    })
    return Promise.race([listening, this.ended.then(() => false)])
  }

  async arm(kill: Kill): Promise<void> {
    this.child.send(kill)
    await once(this.child, 'message')
  }

  /** Sends a request over the local socket, on a new connection each time. */
  ask(method: string, path: string, body?: unknown): Promise<Heard | undefined> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = text === undefined ? {} : { 'Content-Type': 'application/json' }
    const full = path.startsWith('/healthz') || path.startsWith('/metrics') ? path : `/api/v1${path}`
    const options = { socketPath: join(this.dataDir, 'panel.sock'), method, path: full, headers, agent: false }
    return new Promise((resolve) => {
      const call = request(options, async (answer) => {
        const parts = await answer
          .setEncoding('utf8')
          .toArray()
          .catch(() => undefined)
        resolve(parts && heard(answer.statusCode!, parts.join('')))
      })
      call.once('error', () => resolve(undefined))
      call.end(text)
    })
  }

  /** Sends requests until the response is as wanted; gives up after a number of attempts. */
  async until(path: string, expected: (heard: Heard) => boolean, times = 150): Promise<Heard> {
    for (let requests = 0; requests < times; requests++) {
      const answer = await this.ask('GET', path)
      if (answer && expected(answer)) return answer
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`${path} never became what was waited for\n${this.stderr.slice(-2000)}`)
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM')
    await this.ended
  }
}

function heard(status: number, text: string): Heard {
  const body = text.startsWith('{') ? JSON.parse(text) : text
  return { status, body, code: status >= 400 ? body.type?.split('/').at(-1) : undefined }
}

export interface Starting {
  /** Where it kills itself before it listens. */
  readonly kill?: Kill
  /** Shell commands to run before, such as `ulimit -n 256`. */
  readonly first?: string
  /** A file for its log. */
  readonly stderr?: number
}

/** Starts a server, which is stopped after the test. */
export async function start(dataDir: string, { kill, first, stderr }: Starting = {}): Promise<Served> {
  const agent = await builtAgent('test/faults/agent.ts')
  const server = await builtServer('test/faults/main.ts')
  const words = [server, dataDir, JSON.stringify(kill ?? null), JSON.stringify(agent)]
  const [command, args]: [string, string[]] = first
    ? ['sh', ['-c', `${first}; exec "$@"`, 'sh', process.execPath, ...words]]
    : [process.execPath, words]
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', stderr ?? 'pipe', 'ipc'] })
  const served = new Served(dataDir, child)
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  })
  await served.listens()
  return served
}

/** A data directory that is deleted after the test. */
export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'panel-fault-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
