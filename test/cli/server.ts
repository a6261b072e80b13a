import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { bin, environment } from './run.ts'

/** A directory that is deleted after the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'panel-cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

export interface Served {
  readonly socket: string
  /** `https://localhost:port`. */
  readonly url: string
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** The real server on a data directory, for the duration of the test. */
export async function startServer(
  dataDir: string,
  more: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Served> {
  const words = ['serve', '--data-dir', dataDir, '--host', '127.0.0.1', '--hostname', 'localhost', '--port', '0']
  const child = spawn(process.execPath, [bin, ...words, '--log-level', 'silent', ...more], { env: environment(env) })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    child.kill(signal)
    return gone
  }
  onTestFinished(() => stop('SIGKILL'))
  const url = /listens on (\S+)\/api\/v1\n/.exec(await greeting(child))?.[1] ?? ''
  return { socket: join(dataDir, 'panel.sock'), url, stop }
}

function greeting(child: ChildProcess): Promise<string> {
  let output = ''
  child.stderr?.on('data', (text) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (text) => resolve(String(text)))
    child.once('exit', () => reject(new Error(`the server did not start: ${output}`)))
  })
}

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON
type Json = any

/** One request over the local socket; returns the status and JSON. */
export function ask(
  socket: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Json }> {
  const text = body && JSON.stringify(body)
  const headers = text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: socket, method, path, headers, agent: false }, (incoming) => {
      let answer = ''
      incoming.setEncoding('utf8').on('data', (chunk) => {
        answer += chunk
      })
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: answer && JSON.parse(answer) }))
      incoming.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}
