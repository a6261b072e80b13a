import type { Json, Reply, Send, TestPanel } from '../harness.ts'

/** A client that keeps cookies and sends its CSRF token, like a browser with the panel's screens. */
export class Browser {
  readonly #panel: TestPanel
  readonly #from: string
  readonly cookies = new Map<string, string>()
  csrf: string | undefined

  constructor(panel: TestPanel, from = '198.51.100.7') {
    this.#panel = panel
    this.#from = from
  }

  async send(method: string, path: string, { body, headers = {} }: Send = {}): Promise<Reply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = {
      ...(cookie ? { Cookie: cookie } : {}),
      ...(this.csrf ? { 'X-CSRF-Token': this.csrf } : {}),
      ...headers,
    }
    const reply = await this.#panel.send(method, path, { body, from: this.#from, headers: sent })
    for (const line of reply.headers.getSetCookie()) this.#keep(line)
    if (typeof reply.body?.csrf_token === 'string') this.csrf = reply.body.csrf_token
    return reply
  }

  get = (path: string, options?: Send): Promise<Reply> => this.send('GET', path, options)
  post = (path: string, body?: unknown, options?: Send): Promise<Reply> => this.send('POST', path, { ...options, body })
  put = (path: string, body?: unknown, options?: Send): Promise<Reply> => this.send('PUT', path, { ...options, body })
  patch = (path: string, body?: unknown, options?: Send): Promise<Reply> =>
    this.send('PATCH', path, { ...options, body })
  delete = (path: string, options?: Send): Promise<Reply> => this.send('DELETE', path, options)

  /** Signs in to the customer panel, or to the admin panel. */
  async signIn(username: string, password: string, panel: 'user' | 'admin' = 'user'): Promise<Json> {
    return this.post(panel === 'user' ? '/user/auth/login' : '/auth/login', { username, password })
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';')
    const at = pair.indexOf('=')
    const value = pair.slice(at + 1)
    if (value === '') this.cookies.delete(pair.slice(0, at))
    else this.cookies.set(pair.slice(0, at), value)
  }
}
