import { expect } from 'vitest'
import type { Reply, TestPanel } from '../harness.ts'

export const password = 'correct horse battery'
export const origin = 'https://host.example:7711'
const from = '198.51.100.7'

/** What every page may load and do. */
export const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types panel"

/** A browser without scripts: it keeps cookies, follows nothing automatically, and submits forms as shown. */
export class Visitor {
  readonly #panel: TestPanel
  readonly #cookies = new Map<string, string>()

  constructor(panel: TestPanel) {
    this.#panel = panel
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.#keep(
      await this.#panel.get(`${origin}${path}`, {
        from,
        headers: { Accept: 'text/html', ...this.#sent(), ...headers },
      }),
    )
  }

  async post(path: string, form: Record<string, string> | URLSearchParams, headers: Record<string, string> = {}) {
    const body = new URLSearchParams(form).toString()
    const own = { Origin: origin, Host: 'host.example:7711', 'Content-Type': 'application/x-www-form-urlencoded' }
    return this.#keep(
      await this.#panel.post(`${origin}${path}`, body, {
        from,
        headers: { Accept: 'text/html', ...own, ...this.#sent(), ...headers },
      }),
    )
  }

  /** Submits a form of a page, with its file before these fields, in the encoding for files. */
  async upload(
    page: Reply,
    op: string,
    filled: Record<string, string>,
    file: Part | readonly Part[],
    cut = 0,
    last: readonly string[] = [],
  ): Promise<Reply> {
    const { action, fields } = formIn(page.body, op)
    for (const name of ['file', 'key_file', 'chain_file']) fields.delete(name)
    for (const [name, value] of Object.entries(filled)) fields.set(name, value)
    const isAfter = ([name]: readonly [string, string]) => last.includes(name)
    const [before, after] = [[...fields].filter((one) => !isAfter(one)), [...fields].filter(isAfter)]
    const body = multipart(before, [file].flat(), after)
    const own = {
      Origin: origin,
      Host: 'host.example:7711',
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': String(body.length),
    }
    const headers = { Accept: 'text/html', ...own, ...this.#sent() }
    return this.#keep(
      await this.#panel.post(`${origin}${action}`, body.subarray(0, body.length - cut), { from, headers }),
    )
  }

  async signIn(username: string, panel: 'user' | 'admin' = 'user'): Promise<this> {
    const reply = await this.post(`/${panel}/login`, { username, password })
    expect([reply.status, reply.headers.get('location')]).toEqual([303, `/${panel}/`])
    return this
  }

  /** Submits a form of a page as shown, with some fields filled in. */
  async submit(page: Reply, op: string, filled: Record<string, string> = {}): Promise<Reply> {
    const { action, fields } = formIn(page.body, op)
    for (const [name, value] of Object.entries(filled)) fields.set(name, value)
    return this.post(action, fields)
  }

  /** Follows a redirect like a browser does after a form. */
  follow = (reply: Reply): Promise<Reply> => {
    expect(reply.status, reply.body).toBe(303)
    return this.get(reply.headers.get('location')!, { 'Sec-Fetch-Site': 'same-origin' })
  }

  forget(): void {
    this.#cookies.clear()
  }

  #sent(): Record<string, string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return cookie === '' ? {} : { Cookie: cookie }
  }

  #keep(reply: Reply): Reply {
    for (const line of reply.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return reply
  }
}

/** A file of a form, and its name in the browser. */
export interface Part {
  readonly name: string
  /** By default `file`. */
  readonly field?: string
  readonly bytes: Buffer
}

const boundary = 'a-boundary-of-its-own'

type Fields = readonly (readonly [string, string])[]

const partsOf = (fields: Fields): string =>
  fields
    .map(([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`)
    .join('')

function multipart(before: Fields, files: readonly Part[], after: Fields): Buffer {
  const parts = files.flatMap(({ name, field = 'file', bytes }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: text/html\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ])
  const end = `${partsOf(after)}--${boundary}--\r\n`
  return Buffer.concat([Buffer.from(partsOf(before)), ...parts, Buffer.from(end)])
}

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return found === undefined ? undefined : decoded(found)
}

/** Markup as people read it. */
export const textOf = (html: string): string =>
  decoded(html.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()

const decoded = (text: string): string =>
  text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')

/** Browsers send CRLF for every newline of a text field. */
const asSent = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n')

/** What a browser would submit of an operation's form. */
export function formIn(page: string, op: string): { action: string; fields: URLSearchParams } {
  const form = page
    .split('<form')
    .find((one) => one.includes(`name="do" value="${op}"`))
    ?.split('</form>')[0]
  if (form === undefined) throw new Error(`no form of ${op} in ${textOf(page).slice(0, 500)}`)
  const fields = new URLSearchParams()
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) addInput(fields, tag)
  for (const [, open, text] of form.matchAll(/<textarea([^>]*)>\n?([\s\S]*?)<\/textarea>/g))
    if (attribute(open!, 'name') !== undefined) fields.append(attribute(open!, 'name')!, asSent(decoded(text!)))
  for (const [, open, options] of form.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g))
    addChosen(fields, open!, options!)
  return { action: attribute(form.slice(0, form.indexOf('>')), 'action')!, fields }
}

function addInput(fields: URLSearchParams, tag: string): void {
  const [name, type] = [attribute(tag, 'name'), attribute(tag, 'type')]
  if (name === undefined || ((type === 'checkbox' || type === 'radio') && !/\schecked=""/.test(tag))) return
  fields.append(name, attribute(tag, 'value') ?? '')
}

function addChosen(fields: URLSearchParams, open: string, options: string): void {
  const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, one]) => one!)
  const chosen = all.find((one) => /\sselected=""/.test(one)) ?? all[0]
  if (chosen !== undefined) fields.append(attribute(open, 'name')!, attribute(chosen, 'value') ?? '')
}
