import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { namesIn } from '../../src/cli/completion/live.ts'
import { inProcess } from './run.ts'
import { ids, type Reply, type Stub, startStub } from './stub.ts'

const domain = '01K9ZQ5T3M8V4X7C2B6N1D0077'

const home = mkdtempSync(join(tmpdir(), 'panel-cli-'))
let stub: Stub
beforeAll(async () => {
  stub = await startStub()
})
beforeEach(() => stub.reset())
afterAll(async () => {
  rmSync(home, { recursive: true })
  await stub.close()
})

const run = (line: string, env: Record<string, string> = {}) =>
  inProcess(line.split(' '), { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x', ...env })

const outOfReach: Reply = { status: 403, body: { type: 'https://host/problems/token-scope', title: 'No' } }
const own = { account_id: ids.alice, principal_name: 'alice', kind: 'account' }
const list: Reply = { body: { items: [{ id: domain, name: 'shop.example' }] } }

/** A server on which alice has a domain; `token` is what the token's own description returns. */
const answers =
  (token: object = { kind: 'admin', principal_name: 'root' }) =>
  ({ path, query }: { path: string; query: URLSearchParams }): Reply | undefined => {
    if (path === '/token') return { body: token }
    if (path === `/accounts/${ids.alice}/domains`) return list
    if (path === `/accounts/${ids.alice}/domains/${domain}`) return { body: { id: domain, name: 'shop.example' } }
    if (path !== '/lookup') return undefined
    const found = { kind: 'domain', id: domain, name: 'shop.example', account_id: ids.alice, username: 'alice' }
    const matches = query.get('name') === found.name || found.name.startsWith(query.get('prefix') ?? '-')
    return { body: { items: matches && query.get('kind') === 'domain' ? [found] : [] } }
  }

/** A user signed in to the customers' panel, under the name of a context. */
function customer(): Record<string, string> {
  const session = { panel: 'user', username: 'alice', cookie: 'c', csrf: 't' }
  mkdirSync(join(home, 'panel'), { recursive: true })
  const saved = { current: 'own', contexts: { own: { url: stub.url, session } } }
  writeFileSync(join(home, 'panel/contexts.json'), JSON.stringify(saved), { mode: 0o600 })
  return { XDG_CONFIG_HOME: home, PANEL_URL: '', PANEL_TOKEN: '' }
}

describe('command that is only about an account', () => {
  test('uses -a, whatever PANEL_ACCOUNT says', async () => {
    stub.handle(answers())
    const { code, stdout } = await run('domains list -a alice -o name', { PANEL_ACCOUNT: 'bob' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'shop.example\n' })
    expect(stub.lines()).toEqual([
      'GET /accounts?q=alice&per_page=1',
      `GET /accounts/${ids.alice}/domains?page=1&per_page=500`,
    ])
  })

  test('uses PANEL_ACCOUNT', async () => {
    stub.handle(answers())
    expect((await run('domains list', { PANEL_ACCOUNT: 'alice' })).code).toBe(0)
    expect(stub.lines().at(-1)).toBe(`GET /accounts/${ids.alice}/domains?page=1&per_page=500`)
  })

  test('uses the account of an account token', async () => {
    stub.handle(answers(own))
    expect((await run('domains list')).code).toBe(0)
    expect(stub.lines()).toEqual(['GET /token', `GET /accounts/${ids.alice}/domains?page=1&per_page=500`])
  })

  test('uses the account of the session', async () => {
    stub.handle((request) =>
      request.path === '/user/auth/session'
        ? { body: { authenticated: true, username: 'alice', account_id: ids.alice } }
        : answers()(request),
    )
    expect((await run('domains list', customer())).code).toBe(0)
    expect(stub.lines()).toEqual(['GET /user/auth/session', `GET /accounts/${ids.alice}/domains?page=1&per_page=500`])
  })

  test('finds the account by any name that is unique on the server', async () => {
    stub.handle(answers())
    expect((await run('domains show shop.example -o name')).stdout).toBe('shop.example\n')
    expect(stub.lines()).toEqual([
      'GET /token',
      'GET /lookup?name=shop.example&kind=domain',
      `GET /accounts/${ids.alice}/domains/${domain}`,
    ])
  })

  test('says that nothing has the name', async () => {
    stub.handle(answers())
    const { code, stderr } = await run('domains show other.example')
    expect({ code, stderr }).toEqual({ code: 3, stderr: 'error: Not found\n  No such domain: other.example\n' })
  })

  test('asks for the account if nothing says which', async () => {
    stub.handle(answers())
    for (const line of ['domains list', `domains show ${domain}`]) {
      const { code, stderr } = await run(line)
      expect(code).toBe(6)
      expect(stderr).toContain('--account')
    }
  })

  test('offers names from everywhere, and with the account its own', async () => {
    stub.handle(answers())
    const offers = (input: [string, string][], typed: string) =>
      namesIn('/accounts/{id}/domains', { typed, provided: new Map(input), places: {} })
    const saved = process.env
    process.env = { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' }
    try {
      expect(await offers([], 's')).toEqual([])
      expect(await offers([], 'sh')).toEqual([['shop.example', 'alice']])
      expect(await offers([['--account', 'alice']], 's')).toEqual([['shop.example', domain]])
    } finally {
      process.env = saved
    }
  })
})

describe('command that also has a server form', () => {
  test('ignores PANEL_ACCOUNT', async () => {
    stub.handle(answers())
    await run('jobs list', { PANEL_ACCOUNT: 'alice' })
    expect(stub.requests.map(({ path }) => path)).toEqual(['/jobs'])
    expect((await run('accounts show', { PANEL_ACCOUNT: 'alice' })).code).toBe(6)
  })

  test('uses the account of an account token, not the server form', async () => {
    stub.handle((request) => (/^\/(jobs|webhooks)/.test(request.path) ? outOfReach : answers(own)(request)))
    expect((await run('jobs list')).code).toBe(0)
    expect(stub.requests.map(({ path }) => path)).toEqual(['/jobs', '/token', `/accounts/${ids.alice}/jobs`])
    expect((await run('accounts show -q')).stdout).toBe(`${ids.alice}\n`)
  })

  test('uses the account of the session, not the server form', async () => {
    stub.handle(({ path }) =>
      path === '/user/auth/session' ? { body: { authenticated: true, account_id: ids.alice } } : undefined,
    )
    expect((await run('jobs list', customer())).code).toBe(0)
    expect(stub.requests.map(({ path }) => path)).toEqual(['/user/auth/session', `/accounts/${ids.alice}/jobs`])
  })

  test("refuses an administrator's token, whatever PANEL_ACCOUNT says", async () => {
    stub.handle((request) => (request.path === '/jobs' ? outOfReach : answers()(request)))
    expect((await run('jobs list')).code).toBe(4)
    expect(stub.lines().some((line) => line.includes('/accounts/'))).toBe(false)
  })
})
