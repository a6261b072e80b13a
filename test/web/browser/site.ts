import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { end, launch, type ServerProcess } from '../../serve/server.ts'
import { type Browser, openBrowser, password, signIn } from './browser.ts'

export interface Site {
  readonly server: ServerProcess
  readonly origin: string
  readonly account: string
  /** Signed in to a panel, with a script or without. */
  open(panel: 'user' | 'admin', more?: { javaScriptEnabled?: boolean }): Promise<Browser>
  make(method: string, path: string, body: object): Promise<Answered>
  end(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API
type Answered = any

/** An account's objects, so that its pages have something to show. */
const things: readonly (readonly [path: string, body: object])[] = [
  [
    'cron/jobs',
    { schedule: '@daily', command: 'php sites/alice.example/cron.php', comment: '"><img src=x onerror=alert(1)>' },
  ],
  ['ftp/accounts', { login: 'deploy@alice.example', password }],
  ['email/accounts', { address: 'info@alice.example', password }],
  ['tokens', { name: 'deploy', scopes: ['dns:write'] }],
  ['webhooks', { url: 'https://example.com/hook', description: 'to the chat' }],
  ['mysql/databases', { name: 'alice_shop' }],
  ['mysql/users', { name: 'alice_shop', password }],
  [
    'ssh/keys',
    {
      name: 'laptop',
      public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM3Dm3QGyBMpT0Xr4xXyWw5Tcm2b0hXq9Xo3mB0o9nJd',
    },
  ],
]

/** A real server with an account that has something of most kinds. */
export async function startSite(): Promise<Site> {
  const dir = mkdtempSync(join(tmpdir(), 'panel-site-'))
  const server = await (await launch(dir, { hostname: 'localhost' })).up()
  const origin = `https://localhost:${server.port}`
  const make = async (method: string, path: string, body: object): Promise<Answered> => {
    const reply = await server.send(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const { account } = await make('POST', '/accounts', { username: 'alice', domain: 'alice.example', password })
  await make('PUT', '/root/password', { new_password: password })
  for (const [path, body] of things) await make('POST', `/accounts/${account.id}/${path}`, body)
  await whenDone(server)
  return {
    server,
    origin,
    account: account.id,
    make,
    open: async (panel, more) => {
      const browser = await openBrowser(more)
      await browser.page.goto(`${origin}/${panel}/login`)
      await signIn(browser.page, panel === 'user' ? 'alice' : 'root')
      await browser.page.waitForURL(`${origin}/${panel}/`)
      return browser
    },
    end: async () => {
      await end(server)
      await rm(dir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Once no job is waiting or running: pages show the host's state. */
async function whenDone(server: ServerProcess): Promise<void> {
  for (let after = 0; ; ) {
    const paths = ['queued', 'running'].map((status) => `/jobs?status=${status}&per_page=1`)
    const left = await Promise.all(paths.map((path) => server.send('GET', path)))
    if (left.every(({ body }) => body.total === 0)) return
    after = (await server.send('GET', `/events?wait=5&after=${after}`)).body.next
  }
}
