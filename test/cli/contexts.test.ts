import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ensureBuilt, inProcess, panel } from './run.ts'
import { account, ids, type Stub, startStub } from './stub.ts'

const folder = mkdtempSync(join(tmpdir(), 'panel-contexts-'))
let one: Stub
let two: Stub
let home: string

beforeAll(async () => {
  ensureBuilt()
  one = await startStub()
  two = await startStub()
})
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'))
  one.reset()
  two.reset()
  save({ current: 'one', contexts: { one: context(one), two: context(two) } })
})
afterAll(async () => {
  await Promise.all([one.close(), two.close()])
  rmSync(folder, { recursive: true })
})

const context = (stub: Stub, more: object = {}) => ({ url: stub.url, token: 'pnl_canary', user: 'root', ...more })
const file = () => join(home, 'panel', 'contexts.json')
const saved = () => JSON.parse(readFileSync(file(), 'utf8'))

function save(value: unknown, mode = 0o600): void {
  mkdirSync(join(home, 'panel'), { recursive: true, mode: 0o700 })
  writeFileSync(file(), typeof value === 'string' ? value : JSON.stringify(value))
  chmodSync(file(), mode)
}

const run = (line: string, env: Record<string, string> = {}) =>
  inProcess(line.split(' '), { XDG_CONFIG_HOME: home, ...env })

describe('panel context', () => {
  test('lists all of them, including the local socket, without secrets', async () => {
    const { stdout } = await run('context list -o json')
    expect(JSON.parse(stdout).map(({ name, current }: { name: string; current: boolean }) => [name, current])).toEqual([
      ['local', false],
      ['one', true],
      ['two', false],
    ])
    expect(stdout).not.toContain('canary')
    expect((await run('context list -o name')).stdout).toBe('local\none\ntwo\n')
    expect((await run('context list -q')).stdout).toBe('local\none\ntwo\n')
  })

  test('shows one of them', async () => {
    expect(JSON.parse((await run('context show two -o json')).stdout)).toEqual({
      name: 'two',
      url: two.url,
      current: false,
      user: 'root',
      signed_in_by: 'token',
    })
    expect((await run('context show')).stdout).toContain('name\tone\n')
  })

  test('switches to another', async () => {
    const { code, stdout, stderr } = await run('context use two')
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'two is the current context.\n' })
    await run('accounts list')
    expect(two.lines()).toHaveLength(1)
    expect(saved().contexts).toEqual({ one: context(one), two: context(two) })
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  test('switches back to the local socket', async () => {
    await run('context use local')
    expect(saved().current).toBeUndefined()
    const { stdout, stderr } = await run('accounts list')
    expect(stdout + stderr).toContain('panel.sock')
  })

  test('warns if the environment overrides it', async () => {
    const { stderr } = await run('context use two', { PANEL_URL: one.url })
    expect(stderr).toContain('warning: PANEL_URL is set')
    await run('accounts list', { PANEL_URL: one.url })
    expect(two.lines()).toEqual([])
  })

  test('removes one, after asking', async () => {
    const refused = await run('context remove one')
    expect(refused.code).toBe(6)
    expect(refused.stderr).toContain('panel context remove one --yes')
    expect((await run('context remove one --yes')).code).toBe(0)
    expect(saved()).toEqual({ contexts: { two: context(two) } })
  })

  test.each([
    ['context use thre', 'there is no context thre'],
    ['context use tow', 'did you mean two?'],
    ['context use __proto__', 'there is no context __proto__'],
    ['context show constructor', 'there is no context constructor'],
    ['context remove local --yes', 'cannot be removed'],
    ['accounts list --context tow', 'did you mean two?'],
    ['accounts list --context ', 'there is no context'],
  ])('reports wrong usage for %s', async (line, message) => {
    const { code, stdout, stderr } = await run(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  test('works before anything was saved', async () => {
    rmSync(join(home, 'panel'), { recursive: true })
    expect((await run('context list -o name')).stdout).toBe('local\n')
    expect((await run('context show -o name')).stdout).toBe('local\n')
    expect(existsSync(file())).toBe(false)
    expect((await run('accounts list --all-contexts')).code).toBe(2)
  })

  test('uses its own secret: PANEL_TOKEN is for another server', async () => {
    save({ current: 'one', contexts: { one: { url: one.url } } })
    await run('accounts list', { PANEL_TOKEN: 'pnl_of_another' })
    expect(one.requests[0]?.headers.authorization).toBeUndefined()
  })
})

describe('contexts in completion', () => {
  const offers = async (...words: string[]) => {
    const { stdout, stderr } = await panel(['__complete', '--', ...words], { env: { XDG_CONFIG_HOME: home } })
    expect(stderr).toBe('')
    return stdout.split('\n').flatMap((line) => (line ? [line.split('\t')[0]] : []))
  }

  test('offers contexts by name', async () => {
    expect(await offers('context', 'use', 't')).toEqual(['two'])
    expect(await offers('accounts', 'list', '--context', '')).toEqual(['one', 'two', 'local'])
    expect(await offers('accounts', 'show', '--context', 'two', 'a')).toEqual(['alice'])
    expect(two.lines()).toHaveLength(1)
    expect(await offers('events', 'tail', '--type', 'account.cr')).toEqual(['account.created'])
  })

  test('offers no contexts, silently, if the file is broken', async () => {
    save('{')
    expect(await offers('context', 'use', '')).toEqual([])
  })
})

describe('file of contexts', () => {
  test.each([
    ['no JSON', '{"contexts":'],
    ['an empty file', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['a list of contexts', '{"contexts":[]}'],
    ['a context that is a text', '{"contexts":{"one":"x"}}'],
    ['a context without an address', '{"contexts":{"one":{}}}'],
    ['a token that is a number', '{"contexts":{"one":{"url":"https://x","token":5}}}'],
    ['half a session', '{"contexts":{"one":{"url":"https://x","session":{"cookie":"x"}}}}'],
    ['a current that is no name', '{"current":{},"contexts":{}}'],
  ])('refuses a file with %s, and leaves it as it is', async (_what, text) => {
    save(text)
    for (const line of ['accounts list', 'context list', 'context use one']) {
      const { code, stdout, stderr } = await run(line)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('contexts.json')
    }
    expect(readFileSync(file(), 'utf8')).toBe(text)
  })

  test.each([0o666, 0o660, 0o622])('refuses a file that others can write (%o)', async (mode) => {
    save({ contexts: {} }, mode)
    const { code, stderr } = await run('accounts list')
    expect(code).toBe(4)
    expect(stderr).toContain('chmod 600')
  })

  test('uses a file that others can read, with a warning on standard error', async () => {
    save(saved(), 0o644)
    const { code, stdout, stderr } = await run('accounts list -o name')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'alice\nbob\n' })
    expect(stderr === '' || stderr.includes('chmod 600')).toBe(true)
  })

  test('uses the local socket with --data-dir without the file', async () => {
    save('broken')
    expect((await run('accounts list --data-dir /nonexistent')).code).toBe(7)
  })
})

describe('several servers', () => {
  test('reads from several servers together, with a column for the server', async () => {
    two.handle(() => ({ body: { items: [account('carol', ids.alice)], total: 1 } }))
    const { code, stdout, stderr } = await run('accounts list --context one,two --columns server,username --no-headers')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe('one\talice\none\tbob\ntwo\tcarol\n')
    expect((await run('accounts list --all-contexts')).stdout).toMatch(/^server\tusername\t/)
  })

  test('prints one JSON array for several servers', async () => {
    const { stdout } = await run('accounts list --all-contexts --output json')
    expect(JSON.parse(stdout).map((row: { server: string; username: string }) => [row.server, row.username])).toEqual([
      ['one', 'alice'],
      ['one', 'bob'],
      ['two', 'alice'],
      ['two', 'bob'],
    ])
    const sorted = await run('accounts list --all-contexts --sort -username -o jsonl')
    expect(
      sorted.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).username),
    ).toEqual(['bob', 'bob', 'alice', 'alice'])
    expect((await run('accounts list --context one,two --select [].server')).stdout).toBe('one\none\ntwo\ntwo\n')
  })

  test('queries servers concurrently', async () => {
    const late = () => ({ body: { items: [], total: 0 }, delay: 400 })
    one.handle(late)
    two.handle(late)
    const begun = performance.now()
    await run('accounts list --context one,two')
    expect(performance.now() - begun).toBeLessThan(750)
  })

  test('shows the other servers when one fails, and exits with the worst code', async () => {
    save({ contexts: { one: context(one), two: context(two), gone: { url: 'http://127.0.0.1:1' } } })
    two.handle(() => ({ status: 401, body: { type: 'https://x/problems/unauthenticated', title: 'Not signed in' } }))
    const { code, stdout, stderr } = await run('accounts list --all-contexts -o json')
    expect(code).toBe(7)
    expect(JSON.parse(stdout)).toHaveLength(2)
    const errors = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(errors.map(({ server }) => server)).toEqual(['gone', 'two'])
    const plain = await run('accounts list --context two,one')
    expect(plain.code).toBe(4)
    expect(plain.stderr).toContain('error: two: Not signed in')
    expect(plain.stdout).toContain('alice')
  })

  test('prints nothing when all servers fail', async () => {
    one.handle(() => ({ status: 500 }))
    two.handle(() => ({ status: 500 }))
    const { code, stdout } = await run('accounts list --all-contexts -o json')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })

  test('looks up names on each server separately', async () => {
    two.handle(({ path }) => (path === '/accounts' ? { body: { items: [], total: 0 } } : undefined))
    const { code, stdout, stderr } = await run('accounts show alice --context one,two -o json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ server: 'one', username: 'alice' })])
    expect(JSON.parse(stderr)).toMatchObject({ server: 'two', detail: 'No such account: alice' })
  })

  test('lists the servers in whoami', async () => {
    const token = (name: string) => ({
      body: { server: name, principal_name: 'root', kind: 'admin', name: 'ci', scopes: [] },
    })
    one.handle(() => token('a.example'))
    two.handle(() => token('b.example'))
    expect(JSON.parse((await run('whoami --all-contexts -o json')).stdout)).toMatchObject([
      { server: 'one', user: 'root' },
      { server: 'two', user: 'root' },
    ])
  })

  test.each([
    'accounts suspend alice',
    'accounts create zed --domain z.example',
    'packages delete small --yes',
    'api listAccounts',
    'events tail',
    'login https://127.0.0.1:1',
  ])('refuses several servers for `%s`', async (line) => {
    const { code, stdout, stderr } = await run(`${line} --context one,two`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('one server at a time')
    expect([...one.lines(), ...two.lines()]).toEqual([])
  })

  test('takes several servers from PANEL_CONTEXT too, unless the command uses none', async () => {
    const env = { PANEL_CONTEXT: 'one,two' }
    expect((await run('accounts list -o name', env)).stdout).toBe('alice\nbob\nalice\nbob\n')
    expect((await run('accounts suspend alice', env)).code).toBe(2)
    expect((await run('context list -o name', env)).stdout).toBe('local\none\ntwo\n')
  })

  test.each(['--context one,nobody', '--context one --all-contexts', '--all-contexts --columns shoe'])(
    'reports wrong usage for several servers with %s',
    async (more) => {
      expect((await run(`accounts list ${more}`)).code).toBe(2)
      expect(one.lines()).toEqual([])
    },
  )

  test('counts a server once if it is given twice or with an extra comma', async () => {
    expect((await run('accounts list --context one,one, -o name')).stdout).toBe('alice\nbob\n')
  })
})
