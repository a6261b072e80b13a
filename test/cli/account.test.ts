import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { namesIn } from '../../src/cli/completion/live.ts'
import { type Command, openTable, table } from '../../src/cli/table.ts'
import { Id, listOf } from '../../src/contract/common.ts'
import { operationList } from '../../src/contract/index.ts'
import { operation } from '../../src/contract/operation.ts'
import { commandTable } from '../../src/generate/table.ts'
import { inProcess } from './run.ts'
import { ids, type Reply, type Stub, startStub } from './stub.ts'

const Domain = z.strictObject({ id: Id, name: z.string() })
const usual = {
  method: 'get',
  area: 'domains',
  status: 200,
  allow: { customer: true },
  token: { admin: ['accounts'], account: 'any' },
} as const
const domain = '01K9ZQ5T3M8V4X7C2B6N1D0077'

/** An area whose operations all lie below an account: they are no twins of any of the server's. */
const declared = [
  operation({
    ...usual,
    id: 'listDomains',
    path: '/accounts/{id}/domains',
    summary: 'List domains',
    params: z.strictObject({ id: Id.describe('The account') }),
    answer: listOf(Domain),
    cli: { words: ['domains', 'list'], twin: 'account', columns: ['name'], examples: ['panel domains list -a alice'] },
  }),
  operation({
    ...usual,
    id: 'getDomain',
    path: '/accounts/{id}/domains/{did}',
    summary: 'Show a domain',
    params: z.strictObject({ id: Id.describe('The account'), did: Id.describe('The domain') }),
    answer: Domain,
    cli: { words: ['domains', 'show'], twin: 'account', columns: ['name'], examples: ['panel domains show a.example'] },
  }),
]

/** Adds the area to the table that is read; answers how to take it out again. */
function plugIn(): () => void {
  // Whatever command was read before.
  openTable('')
  const added = commandTable([...operationList.filter(({ area }) => area !== 'domains'), ...declared])
  const commands = table.commands as Command[]
  const before = { commands: [...commands], collections: { ...table.collections }, operations: { ...table.operations } }
  commands.push(...added.commands.filter(({ words }) => words[0] === 'domains'))
  Object.assign(table.operations, added.operations)
  Object.assign(table.shapes, added.shapes)
  Object.assign(table.collections, added.collections)
  return () => {
    commands.splice(0, commands.length, ...before.commands)
    restore(table.operations, before.operations)
    restore(table.collections, before.collections)
  }
}

function restore(object: object, before: object): void {
  for (const key of Object.keys(object)) Reflect.deleteProperty(object, key)
  Object.assign(object, before)
}

const home = mkdtempSync(join(tmpdir(), 'panel-cli-'))
let stub: Stub
let unplug: () => void
beforeAll(async () => {
  stub = await startStub()
  unplug = plugIn()
})
beforeEach(() => stub.reset())
afterAll(async () => {
  unplug()
  rmSync(home, { recursive: true })
  await stub.close()
})

const run = (line: string, env: Record<string, string> = {}) =>
  inProcess(line.split(' '), { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x', ...env })

const outOfReach: Reply = { status: 403, body: { type: 'https://host/problems/token-scope', title: 'No' } }
const own = { account_id: ids.alice, principal_name: 'alice', kind: 'account' }
const list: Reply = { body: { items: [{ id: domain, name: 'shop.example' }] } }

/** A server on which alice has a domain; `token` is what the token is told of itself. */
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

/** Someone who is signed in to the customers' panel, under the name of a context. */
function customer(): Record<string, string> {
  const session = { panel: 'user', username: 'alice', cookie: 'c', csrf: 't' }
  mkdirSync(join(home, 'panel'), { recursive: true })
  const saved = { current: 'own', contexts: { own: { url: stub.url, session } } }
  writeFileSync(join(home, 'panel/contexts.json'), JSON.stringify(saved), { mode: 0o600 })
  return { XDG_CONFIG_HOME: home, PANEL_URL: '', PANEL_TOKEN: '' }
}

describe('a command that is about an account alone', () => {
  test('is told which by -a, whatever PANEL_ACCOUNT says', async () => {
    stub.handle(answers())
    const { code, stdout } = await run('domains list -a alice -o name', { PANEL_ACCOUNT: 'bob' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'shop.example\n' })
    expect(stub.lines()).toEqual(['GET /accounts?q=alice&per_page=1', `GET /accounts/${ids.alice}/domains`])
  })

  test('is told which by PANEL_ACCOUNT', async () => {
    stub.handle(answers())
    expect((await run('domains list', { PANEL_ACCOUNT: 'alice' })).code).toBe(0)
    expect(stub.lines().at(-1)).toBe(`GET /accounts/${ids.alice}/domains`)
  })

  test('is about the own account with its token', async () => {
    stub.handle(answers(own))
    expect((await run('domains list')).code).toBe(0)
    expect(stub.lines()).toEqual(['GET /token', `GET /accounts/${ids.alice}/domains`])
  })

  test("is about the own account in a customer's session", async () => {
    stub.handle((request) =>
      request.path === '/user/auth/session'
        ? { body: { authenticated: true, username: 'alice', account_id: ids.alice } }
        : answers()(request),
    )
    expect((await run('domains list', customer())).code).toBe(0)
    expect(stub.lines()).toEqual(['GET /user/auth/session', `GET /accounts/${ids.alice}/domains`])
  })

  test('finds the account by a name that is the only one on the server', async () => {
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

  test('asks for the account where nothing says which', async () => {
    stub.handle(answers())
    for (const line of ['domains list', `domains show ${domain}`]) {
      const { code, stderr } = await run(line)
      expect(code).toBe(6)
      expect(stderr).toContain('--account')
    }
  })

  test('offers names from everywhere, and with the account its own', async () => {
    stub.handle(answers())
    const offers = (given: [string, string][], typed: string) =>
      namesIn('/accounts/{id}/domains', { typed, given: new Map(given), places: {} })
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

describe('a command that has a form for the server', () => {
  test('takes no notice of PANEL_ACCOUNT', async () => {
    stub.handle(answers())
    await run('jobs list', { PANEL_ACCOUNT: 'alice' })
    expect(stub.requests.map(({ path }) => path)).toEqual(['/jobs'])
    expect((await run('accounts show', { PANEL_ACCOUNT: 'alice' })).code).toBe(6)
  })

  test('is about the own account with its token', async () => {
    stub.handle((request) => (/^\/(jobs|webhooks)/.test(request.path) ? outOfReach : answers(own)(request)))
    expect((await run('jobs list')).code).toBe(0)
    expect(stub.requests.map(({ path }) => path)).toEqual(['/jobs', '/token', `/accounts/${ids.alice}/jobs`])
    expect((await run('accounts show -q')).stdout).toBe(`${ids.alice}\n`)
  })

  test("is about the own account in a customer's session", async () => {
    stub.handle(({ path }) =>
      path === '/user/auth/session' ? { body: { authenticated: true, account_id: ids.alice } } : undefined,
    )
    expect((await run('jobs list', customer())).code).toBe(0)
    expect(stub.requests.map(({ path }) => path)).toEqual(['/user/auth/session', `/accounts/${ids.alice}/jobs`])
  })

  test("stays refused to an administrator's token", async () => {
    stub.handle((request) => (request.path === '/jobs' ? outOfReach : answers()(request)))
    expect((await run('jobs list')).code).toBe(4)
    expect(stub.lines().some((line) => line.includes('/accounts/'))).toBe(false)
  })
})
