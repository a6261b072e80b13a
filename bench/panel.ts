import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Server, startServer } from './server.ts'

export const bin = fileURLToPath(new URL('../bin/panel.js', import.meta.url))

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON
type Json = any

const directories: string[] = []
process.once('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

/** A data directory that goes when the run ends. */
export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'panel-bench-'))
  directories.push(directory)
  return directory
}

/** The real server, built as it is shipped, in a process of its own. */
export function startPanel(dataDir: string, { tls = false } = {}): Promise<Server> {
  const where = ['--data-dir', dataDir, '--host', '127.0.0.1', '--port', '0', '--hostname', 'bench.example']
  return startServer([bin, 'serve', ...where, ...(tls ? [] : ['--no-tls'])]).then((server) => ({
    ...server,
    url: server.url.replace('bench.example', '127.0.0.1'),
  }))
}

/** Asks over the local socket, as root. */
export function ask(dataDir: string, method: string, path: string, body?: object): Promise<Json> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': text.length }
  return new Promise((resolve, reject) => {
    const options = { socketPath: join(dataDir, 'panel.sock'), method, path: `/api/v1${path}`, headers }
    const call = request(options, (answer) => {
      answer.setEncoding('utf8').toArray().then(received, reject)
      function received(parts: string[]): void {
        if (answer.statusCode! < 400) resolve(JSON.parse(parts.join('') || 'null'))
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${parts.join('')}`))
      }
    })
    call.once('error', reject).end(text)
  })
}
