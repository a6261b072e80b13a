import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Answer, ServerProcess } from './server.ts'

/** A headless client: over TLS to a real server, with cookies and its session's CSRF token. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  csrf: string | undefined
  readonly #server: ServerProcess
  readonly #ca: string

  constructor(server: ServerProcess) {
    this.#server = server
    this.#ca = readFileSync(join(server.dir, 'tls/cert.pem'), 'utf8')
  }

  /** An operation, by its path below the API. */
  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    return this.#act(method, `/api/v1${path}`, text, { ...type, ...headers })
  }

  /** A screen; with fields, its form as submitted. */
  page(path: string, form?: Record<string, string>): Promise<Answer> {
    if (!form) return this.#act('GET', path, undefined, { Accept: 'text/html' })
    const type = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' }
    return this.#act('POST', path, new URLSearchParams(form).toString(), type)
  }

  async #act(method: string, path: string, body: string | undefined, headers: Record<string, string>): Promise<Answer> {
    const reply = await this.#ask(method, path, body, {
      ...(this.cookies.size > 0 ? { Cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') } : {}),
      ...(this.csrf === undefined ? {} : { 'X-CSRF-Token': this.csrf }),
      ...headers,
    })
    for (const line of reply.headers['set-cookie'] ?? []) this.#keep(line)
    if (typeof reply.body?.csrf_token === 'string') this.csrf = reply.body.csrf_token
    return reply
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') this.cookies.delete(name)
    else this.cookies.set(name, value)
  }

  #ask(method: string, path: string, body: string | undefined, headers: Record<string, string>): Promise<Answer> {
    const where = { host: '127.0.0.1', port: this.#server.port, ca: this.#ca, servername: 'localhost', agent: false }
    return new Promise((resolve, reject) => {
      const call = request({ ...where, method, path, headers }, (reply) => {
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
      call.end(body)
    })
  }
}
