import { getEventListeners } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../../src/cli/request/client.ts'
import { watch } from '../../src/cli/request/job.ts'
import { inProcess } from './run.ts'
import { account, ids, type Received, type Reply, type Stub, startStub } from './stub.ts'

let stub: Stub
const folder = mkdtempSync(join(tmpdir(), 'panel-cli-'))
beforeAll(async () => {
  stub = await startStub()
})
beforeEach(() => stub.reset())
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await stub.close()
})

const run = (line: string, env: Record<string, string> = {}) =>
  inProcess(line.split(' '), { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x', ...env })
const last = () => stub.requests.at(-1)
const problem = (status: number, code: string, more: object = {}): Reply => ({
  status,
  body: { type: `https://host/problems/${code}`, title: `Title of ${code}`, status, ...more },
})

describe('names', () => {
  test('looks up names by an exact search', async () => {
    await run('accounts show alice')
    expect(stub.lines()).toEqual(['GET /accounts?q=alice&per_page=1', `GET /accounts/${ids.alice}`])
  })

  test('passes ids through without a search', async () => {
    await run(`accounts show ${ids.alice}`)
    expect(stub.lines()).toEqual([`GET /accounts/${ids.alice}`])
  })

  test('reports names of unknown objects as not found', async () => {
    const { code, stdout, stderr } = await run('accounts show ali')
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toBe('error: Not found\n  No such account: ali\nhint: did you mean alice?\n')
  })

  test('accepts names of packages in place of package_id', async () => {
    await run('accounts set-package alice large')
    expect(stub.requests.find(({ method }) => method === 'PUT')?.body).toEqual({ package_id: expect.any(String) })
    const byOption = await run('accounts set-package alice --package large --dry-run')
    const byAlias = await run('accounts set-package alice --package-id large --dry-run')
    expect(byOption.stdout).toBe(byAlias.stdout)
  })

  test('looks up the name of the account itself with its token', async () => {
    stub.handle(({ path, query }) => {
      if (path === '/accounts' && query.has('q')) return problem(403, 'token-scope')
      if (path === '/token') return { body: { account_id: ids.alice, principal_name: 'alice', kind: 'account' } }
      return undefined
    })
    expect((await run('accounts show alice -q')).stdout).toBe(`${ids.alice}\n`)
    expect((await run('accounts show bob')).code).toBe(3)
  })

  test('treats root, who has no account, as the owner of the first package', async () => {
    stub.handle(({ path }) =>
      path === '/packages' ? { body: { items: [{ id: ids.package, owner: 'root', owner_id: ids.list }] } } : undefined,
    )
    await run('accounts list --owner root')
    expect(last()?.query.get('owner_id')).toBe(ids.list)
  })

  test('refuses a name that several tokens share, listing their ids', async () => {
    const items = ['01K9ZQ5T3M8V4X7C2B6N1D0091', '01K9ZQ5T3M8V4X7C2B6N1D0092'].map((id) => ({ id, name: 'ci' }))
    stub.handle(() => ({ body: { items, total: 2 } }))
    const { code, stderr } = await run('tokens revoke ci --yes')
    expect(code).toBe(2)
    expect(stderr).toContain('01K9ZQ5T3M8V4X7C2B6N1D0092')
  })
})

describe('input', () => {
  test('turns names of nested fields into nested objects', async () => {
    const words = 'packages create tiny --isolation-cpu-pct 50 --max-sql 0 --no-cgi'
    await run(words)
    expect(last()?.body).toEqual({ name: 'tiny', isolation: { cpu_pct: 50 }, max_sql: 0, cgi: false })
  })

  test('a limit that is not set is shown as what applies: the default, or nothing', async () => {
    const columns = 'packages list --columns max_sql,max_apps,max_backups,php_memory_max_mb --no-headers'
    expect((await run(columns)).stdout.split('\n')[0]).toBe('unlimited\t50 (default)\t100 (default)\t512 (default)')
  })

  test('unlimited clears a limit', async () => {
    await run('packages update small --max-sql unlimited --max-ftp none')
    expect(last()?.body).toEqual({ max_sql: null, max_ftp: null })
  })

  test('arrays accept commas and repetition', async () => {
    await run('tokens create ci --scopes accounts:read,packages:read --scopes server:read')
    expect(last()?.body).toEqual({ name: 'ci', scopes: ['accounts:read', 'packages:read', 'server:read'] })
  })

  test('--data provides a body that options add to', async () => {
    const file = join(folder, 'body.json')
    writeFileSync(file, '{"domain":"file.example","cgi":true}')
    await run(`accounts create zed --data @${file} --locale de --no-wait`)
    expect(last()?.body).toEqual({ username: 'zed', domain: 'file.example', cgi: true, locale: 'de' })
  })

  test('names missing input by its option', async () => {
    const { code, stdout, stderr } = await run('accounts create')
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
    expect(stderr).toContain('  - --username: required')
    expect(stderr).toContain('  - --domain: required')
    expect(stub.lines()).toEqual([])
  })

  test.each([
    ['accounts create zed --domain z.example --shell /bin/zsh', '--shell must be one of'],
    ['packages create tiny --max-sql many', '--max-sql must be a number'],
    ['accounts show alice --account bob', 'given twice'],
    ['accounts show alice bob', 'too many arguments'],
    ['accounts list bob.example', 'to search the list: panel accounts list --search TEXT'],
    ['packages list small', 'to find anything by its name: panel lookup NAME'],
    ['accounts list --colums id', "unknown option '--colums'"],
    ['accounts list --columns shoe', 'there is no column shoe'],
    ['accounts list --sort shoe', 'there is no column shoe'],
    ['accounts list --limit 0', '--limit must be'],
    ['accounts create zed --data {', '--data is not JSON'],
    ['accounts list --output xml', 'xml'],
    ['accounts lst', "unknown command 'lst'"],
    ['acounts list', "unknown command 'acounts'"],
    ['help acounts', "unknown command 'acounts'"],
    ['help accounts lst', 'did you mean panel accounts list?'],
    ['acounts --help', 'did you mean panel accounts?'],
  ])('reports wrong usage for %s', async (line, message) => {
    const { code, stdout, stderr } = await run(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  test('prints wrong usage as JSON where JSON is asked for', async () => {
    const { code, stdout, stderr } = await run('accounts lst --output json')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({
      type: 'panel:problems/usage',
      hint: 'did you mean panel accounts list?',
    })
  })

  test('--account selects the account variant, and looks up members there', async () => {
    await run('jobs list --account alice')
    expect(last()?.path).toBe(`/accounts/${ids.alice}/jobs`)
    const token = { id: ids.token, name: 'ci' }
    stub.handle(({ path }) =>
      path === `/accounts/${ids.alice}/tokens` ? { body: { items: [token], total: 1 } } : undefined,
    )
    await run('tokens revoke ci --account alice --yes')
    expect(stub.lines().at(-1)).toBe(`DELETE /accounts/${ids.alice}/tokens/${ids.token}`)
  })

  test('POST carries an idempotency key, the given one if any, and none for secrets', async () => {
    await run('packages create tiny')
    expect(last()?.headers['idempotency-key']).toMatch(/^[\da-f-]{36}$/)
    await run('packages create tiny --idempotency-key mine')
    expect(last()?.headers['idempotency-key']).toBe('mine')
    await run('tokens create ci --scopes full-access')
    expect(last()?.headers['idempotency-key']).toBeUndefined()
  })

  test('accepts global options before and after the command', async () => {
    const before = await run('--output name accounts list')
    const after = await run('accounts list --output name')
    expect(before).toEqual(after)
    expect(before.stdout).toBe('alice\nbob\n')
  })

  test('--dry-run sends nothing that changes', async () => {
    const { stdout } = await run('accounts suspend bob --reason unpaid --dry-run')
    expect(JSON.parse(stdout)).toEqual({
      method: 'POST',
      path: `/api/v1/accounts/${ids.bob}/suspend`,
      body: { reason: 'unpaid' },
    })
    expect(stub.requests.every(({ method }) => method === 'GET')).toBe(true)
  })

  test('--dry-run works without a server', async () => {
    const { code, stdout } = await run('accounts suspend bob --dry-run', { PANEL_URL: '' })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).path).toBe('/api/v1/accounts/bob/suspend')
  })
})

describe('output', () => {
  test.each([
    ['accounts list -q', `${ids.alice}\n${ids.bob}\n`],
    ['accounts list --sort -username -o name', 'bob\nalice\n'],
    ['accounts list --limit 1 -o name', 'alice\n'],
    ['accounts list --no-headers --columns username,status', 'alice\tactive\nbob\tsuspended\n'],
    ['accounts list --select [].username', 'alice\nbob\n'],
    ['accounts show alice --select status', 'active\n'],
    ['packages list --columns name,disk_quota_mb --no-headers', 'default\tunlimited\nlarge\t9000\nsmall\tunlimited\n'],
    ['accounts show alice -o yaml --select {u:username}', 'u: alice\n'],
    ['accounts list -o json --select [].username', '[\n  "alice",\n  "bob"\n]\n'],
  ])('prints %s', async (line, stdout) => {
    expect(await run(line)).toEqual({ code: 0, stdout, stderr: '' })
  })

  test('takes the default from PANEL_OUTPUT, and validates it', async () => {
    expect(JSON.parse((await run('accounts list', { PANEL_OUTPUT: 'json' })).stdout)).toHaveLength(2)
    expect((await run('accounts list', { PANEL_OUTPUT: 'xml' })).code).toBe(2)
  })

  test('jsonl prints a line per item', async () => {
    const { stdout } = await run('accounts list -o jsonl')
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).username),
    ).toEqual(['alice', 'bob'])
  })

  test('prints nothing for 204', async () => {
    expect(await run('packages delete small --yes -o json')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  const feedOf =
    (count: number) =>
    ({ query }: Pick<Received, 'query'>) => {
      const first = Number(query.get('before') ?? count + 1) - 1
      const left = Math.max(0, Math.min(first, Number(query.get('limit'))))
      const items = Array.from({ length: left }, (_, at) => ({ seq: first - at, type: 'account.created' }))
      return { body: { items, next: first - left + 1 } }
    }

  test('reads the feed cursor by cursor, from its end', async () => {
    stub.handle(feedOf(700))
    const { stdout } = await run('events list -o json')
    expect(JSON.parse(stdout).map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: 700 }, (_, at) => 700 - at),
    )
    expect(stub.lines()).toEqual(['GET /events?order=desc&limit=500', 'GET /events?order=desc&before=201&limit=500'])
  })

  test('ends at a server that answers the same place again', async () => {
    stub.handle(({ query }) => feedOf(700)({ query: new URLSearchParams({ limit: query.get('limit')! }) }))
    expect((await run('events list -o json')).code).toBe(0)
    expect(stub.lines()).toHaveLength(2)
  })

  test('sorts before it limits', async () => {
    const name = (at: number) => `a${String(at).padStart(4, '0')}`
    stub.handle(({ query }) => {
      const [page, size] = [Number(query.get('page')), Number(query.get('per_page'))]
      const items = Array.from({ length: Math.min(size, 700 - (page - 1) * size) }, (_, at) => ({
        id: ids.alice,
        username: name((page - 1) * size + at),
      }))
      return { body: { items, total: 700 } }
    })
    expect((await run('accounts list --sort -username --limit 2 -o name')).stdout).toBe(`${name(699)}\n${name(698)}\n`)
    expect(stub.lines()).toEqual(['GET /accounts?page=1&per_page=500', 'GET /accounts?page=2&per_page=500'])
  })

  test.each([
    ['jobs list --limit 2', 'GET /jobs?order=desc&page=1&per_page=2'],
    ['jobs list --order asc --limit 2', 'GET /jobs?order=asc&page=1&per_page=2'],
    ['audit list --limit 2', 'GET /audit?order=desc&page=1&per_page=2'],
    ['accounts list --status suspended --limit 2', 'GET /accounts?status=suspended&page=1&per_page=2'],
  ])('requests the order that %s shows', async (line, requests) => {
    await run(line)
    expect(stub.lines().at(-1)).toBe(requests)
  })

  test('--since accepts a relative time everywhere', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 15, 12) })
    onTestFinished(() => void vi.useRealTimers())
    const hourAgo = Date.UTC(2026, 0, 15, 11)
    const plan = async (line: string) => JSON.parse((await run(`${line} --dry-run`)).stdout)
    expect((await plan('audit list --since 1h')).query.since).toBe(hourAgo)
    expect((await plan('events list --since 1h')).query.since).toBe(hourAgo)
    expect((await plan(`webhooks redeliver-since ${ids.token} 1h`)).body).toEqual({ since: hourAgo })
    expect((await plan('events list --since 2026-01-15T11:00:00Z')).query.since).toBe(hourAgo)
  })

  test('prints only the page of --page', async () => {
    const { stdout } = await run('accounts list --page 2 --per-page 1 -o name')
    expect(stdout).toBe('bob\n')
    expect(stub.lines()).toEqual(['GET /accounts?page=2&per_page=1'])
  })
})

describe('exit codes', () => {
  test.each([
    [400, 'validation', 1],
    [401, 'unauthenticated', 4],
    [402, 'license-readonly', 1],
    [403, 'token-scope', 4],
    [404, 'not-found', 3],
    [409, 'in-use', 5],
    [409, 'never-heard-of', 5],
    [422, 'invalid-url', 1],
    [500, 'internal', 1],
  ])('exits with %i %s', async (status, code, exit) => {
    stub.handle(() => problem(status, code))
    const plain = await run('accounts list')
    expect({ exit: plain.code, stdout: plain.stdout }).toEqual({ exit, stdout: '' })
    expect(plain.stderr).toContain(`error: Title of ${code}\n`)
    expect(plain.stderr).toContain('request id: req-1')
    const json = await run('accounts list --output json')
    expect(json.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(json.stderr)).toMatchObject({
      status,
      type: `https://host/problems/${code}`,
      request_id: 'req-1',
    })
  })

  test('names fields as typed: as options or arguments', async () => {
    const fields = { username: 'is taken', package_id: 'is unknown', 'no.option': 'is odd' }
    stub.handle(({ method }) => (method === 'POST' ? problem(400, 'validation', { fields }) : undefined))
    const { stderr } = await run('accounts create alice --domain a.example')
    expect(stderr).toContain('  - username: is taken\n  - --package: is unknown\n  - no.option: is odd\n')
    const option = await run('accounts create --username alice --domain a.example')
    expect(option.stderr).toContain('  - --username: is taken\n')
  })

  test('fails when nothing listens', async () => {
    const { code, stderr } = await run('accounts list', { PANEL_URL: 'http://127.0.0.1:1' })
    expect(code).toBe(7)
    expect(stderr).toContain('127.0.0.1:1 cannot be reached')
  })

  test('fails on a response that is not JSON', async () => {
    stub.handle(() => ({ status: 502, body: undefined, headers: { 'retry-after': '0' } }))
    expect((await run('accounts list')).code).toBe(1)
  })

  test('retries reads after a disconnect, but not changes without a key', async () => {
    let left = 1
    stub.handle(() => (left-- > 0 ? { cut: true } : undefined))
    expect((await run('accounts list')).code).toBe(0)
    left = 1
    stub.reset()
    stub.handle(({ method }) => (method === 'DELETE' ? { cut: true } : undefined))
    expect((await run(`packages delete ${ids.package} --yes`)).code).toBe(7)
    expect(stub.lines()).toHaveLength(1)
  })
})

describe('confirmations', () => {
  test('asks for --yes without a terminal', async () => {
    const { code, stdout, stderr } = await run('packages delete small')
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
    expect(stderr).toContain('panel packages delete small --yes')
    expect(stub.requests.some(({ method }) => method === 'DELETE')).toBe(false)
  })

  test('terminate sends the username itself', async () => {
    const { code } = await run(`accounts terminate ${ids.alice} --yes`)
    expect(code).toBe(0)
    expect(stub.lines()).toContain(`DELETE /accounts/${ids.alice}?confirm=alice`)
  })

  test('sends --confirm for the server to validate', async () => {
    await run('accounts terminate alice --confirm alise')
    expect(stub.lines()).toContain(`DELETE /accounts/${ids.alice}?confirm=alise`)
  })

  test("terminate prints the account's last state", async () => {
    const { stdout } = await run('accounts terminate alice --yes -o json')
    expect(JSON.parse(stdout).username).toBe('alice')
    expect(stub.lines().at(-1)).toBe(`GET /jobs/${ids.job}`)
  })
})

describe('jobs that a command starts', () => {
  const job = (status: string, more: object = {}) => ({
    job: { id: ids.job, kind: 'account.suspend', status, progress_pct: 50, ...more },
    log: [] as object[],
  })
  const answers = (...bodies: object[]) => {
    stub.handle(({ path }) =>
      path === `/jobs/${ids.job}` ? { body: bodies.length > 1 ? bodies.shift() : bodies[0] } : undefined,
    )
  }

  test('prints each step of a job once', async () => {
    answers(
      job('running', { step: 'prepare' }),
      job('running', { step: 'prepare' }),
      job('succeeded', { step: 'apply' }),
    )
    const { stderr } = await run('accounts suspend alice')
    expect(stderr).toBe(
      'account.suspend: prepare\naccount.suspend: running\naccount.suspend: apply\naccount.suspend: succeeded\n',
    )
  })

  test('follows jobs to the end, then reads the account again', async () => {
    answers({ ...job('running'), log: [{ at: 7, level: 'info', message: 'halfway' }] }, job('succeeded'))
    const { code, stdout, stderr } = await run('accounts suspend alice --output json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(account('alice', ids.alice))
    expect(stderr).toBe('account.suspend: halfway\naccount.suspend: running\naccount.suspend: succeeded\n')
    expect(stub.lines().slice(-3)).toEqual([
      `GET /jobs/${ids.job}`,
      `GET /jobs/${ids.job}?log_after=7`,
      `GET /accounts/${ids.alice}`,
    ])
  })

  test('removes the listener for jobs after each question', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const left: number[] = []
    const { signal } = new AbortController()
    const call = async () => ({
      body: job(left.push(getEventListeners(signal, 'abort').length) > 20 ? 'succeeded' : 'running'),
    })
    const watched = watch(
      { call } as unknown as Client,
      { job: ids.job },
      { show: () => {}, deadline: Infinity, signal },
    )
    await vi.runAllTimersAsync()
    expect([(await watched).status, new Set(left)]).toEqual(['succeeded', new Set([0])])
  })

  test('exits 9 with the error of a job that fails', async () => {
    answers(job('failed', { error: 'the disk is full' }))
    const { code, stdout, stderr } = await run('accounts suspend alice -q')
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(stderr).toContain('the disk is full')
  })

  test('exits 8 when jobs exceed --wait-timeout', async () => {
    answers(job('running'))
    const { code, stderr } = await run('accounts suspend alice --wait-timeout 0.3s')
    expect(code).toBe(8)
    expect(stderr).toContain(`panel jobs wait ${ids.job}`)
  })

  test('says when a followed job waits for a node, and when it no longer does', async () => {
    const reason = 'Node web2 is down: it has not answered for 6 seconds.'
    answers(job('queued', { waiting_for: reason }))
    const { code, stderr } = await run('accounts suspend alice --wait-timeout 0.3s')
    expect(code).toBe(8)
    expect(stderr.split(reason)).toHaveLength(3)
    expect(stderr).toContain(`: queued, since it waits: ${reason}\n`)
  })

  test('follows the jobs of all nodes except one that is down, which it reports', async () => {
    const waiting_for = 'Node web2 is down: it has not answered for 6 seconds.'
    const unreachable = ids.bob
    stub.handle(({ path }) => {
      if (path !== '/host/apply') return undefined
      const nodes = [
        { node: 'web2', job_id: unreachable, waiting_for },
        { node: 'web3', job_id: ids.alice },
      ]
      return { status: 202, body: { job_id: ids.job, nodes } }
    })
    const { code, stdout, stderr } = await run('host apply --all')
    expect([code, stdout]).toEqual([8, ''])
    expect(stderr).toContain(`job ${unreachable} waits: ${waiting_for}\n`)
    expect(stderr).toContain('not done on web2 yet')
    expect(stderr).toContain(`panel jobs wait ${unreachable}`)
    const followed = stub.lines().flatMap((line) => /\/jobs\/(\w+)/.exec(line)?.[1] ?? [])
    expect(followed).toEqual([ids.job, ids.alice])
    const one = await run('host apply --node web3 --dry-run -o json')
    expect(JSON.parse(one.stdout)).toMatchObject({ body: { node: 'web3' } })
  })

  test('tries the jobs of all nodes, even after a failure', async () => {
    const waiting_for = 'Node web2 is down: it has not answered for 6 seconds.'
    stub.handle(({ path }) => {
      const [, id] = /\/jobs\/(\w+)/.exec(path) ?? []
      const received = (status: string, error?: string) => ({
        body: { job: { id, kind: 'host.apply', status, progress_pct: 100, ...(error && { error }) }, log: [] },
      })
      if (id) return id === ids.list ? received('succeeded') : received('failed', `${id} broke`)
      if (path !== '/host/apply') return undefined
      const nodes = [
        { node: 'web2', job_id: ids.bob, waiting_for },
        { node: 'web3', job_id: ids.alice },
        { node: 'web4', job_id: ids.list },
      ]
      return { status: 202, body: { job_id: ids.job, nodes } }
    })
    const { code, stderr } = await run('host apply --all')
    expect(code).toBe(9)
    const output = [`job ${ids.bob} waits: ${waiting_for}`, `${ids.alice} broke`, `${ids.job} broke`]
    expect(output.map((text) => stderr.indexOf(text)).sort((one, other) => one - other)).toEqual(
      output.map((text) => stderr.indexOf(text)),
    )
    expect(stderr).toContain(output[0])
    const followed = stub.lines().flatMap((line) => /\/jobs\/(\w+)/.exec(line)?.[1] ?? [])
    expect(followed).toEqual([ids.job, ids.alice, ids.list])
  })

  test.each(['--wait-timeout soon', '--select ['])('starts no jobs if %s is invalid', async (wrong) => {
    const { code, stderr } = await run(`accounts suspend alice ${wrong}`)
    expect(code).toBe(2)
    expect(stderr).toContain(wrong.split(' ')[0])
    expect(stub.lines()).toEqual([])
  })

  test('prints the ids of jobs to a script that does not wait', async () => {
    expect(await run('accounts suspend alice --no-wait -q')).toEqual({ code: 0, stdout: `${ids.job}\n`, stderr: '' })
  })

  test('waits for jobs with --wait, the default', async () => {
    const waited = await run('accounts suspend alice --wait -o json')
    expect([waited.code, waited.stdout]).toEqual([0, (await run('accounts suspend alice -o json')).stdout])
  })

  test('does not wait for jobs with --no-wait', async () => {
    const { stdout } = await run('accounts suspend alice --no-wait -o json')
    expect(JSON.parse(stdout)).toEqual({ account: account('alice', ids.alice), job_id: ids.job })
    expect(stub.lines().some((line) => line.includes('/jobs/'))).toBe(false)
  })

  test('waits for jobs by id', async () => {
    answers(job('running'), job('succeeded'))
    const { code, stdout } = await run(`jobs wait ${ids.job} -o json`)
    expect(code).toBe(0)
    expect(JSON.parse(stdout).job.status).toBe('succeeded')
    answers(job('cancelled'))
    expect((await run(`jobs wait ${ids.job}`)).code).toBe(9)
  })

  test('reads the jobs of an account with its token', async () => {
    stub.handle(({ path }) => {
      if (path === `/jobs/${ids.job}`) return problem(403, 'token-scope')
      return path === `/accounts/${ids.alice}/jobs/${ids.job}` ? { body: job('succeeded') } : undefined
    })
    expect((await run(`accounts suspend ${ids.alice}`)).code).toBe(0)
  })

  test('finds jobs with the token of their account', async () => {
    stub.handle(({ path }) => {
      if (path === '/token') return { body: { account_id: ids.alice, principal_name: 'alice' } }
      if (path === `/jobs/${ids.job}`) return problem(403, 'token-scope')
      return path === `/accounts/${ids.alice}/jobs/${ids.job}` ? { body: job('succeeded') } : undefined
    })
    expect((await run(`jobs wait ${ids.job}`)).code).toBe(0)
  })

  test('prints the log of a job', async () => {
    answers(
      { ...job('running'), log: [{ at: 0, level: 'info', message: 'one' }] },
      { ...job('succeeded'), log: [{ at: 1, level: 'warn', message: 'two' }] },
    )
    const { stdout } = await run(`jobs logs ${ids.job} --follow`)
    expect(stdout).toBe('1970-01-01T00:00:00.000Z info  one\n1970-01-01T00:00:00.001Z warn  two\n')
  })
})

describe('panel api', () => {
  test('sends an operation by its id, with names looked up', async () => {
    const { stdout } = await run('api getAccount --path id=bob --select username')
    expect(stdout).toBe('bob\n')
  })

  test('sends a path', async () => {
    await run('api /accounts --field username=zed --field cgi=true')
    expect(last()).toMatchObject({ method: 'POST', path: '/accounts', body: { username: 'zed', cgi: true } })
  })

  test('suggests corrections for misspelled names', async () => {
    const operation = await run('api getAcount')
    expect(operation.code).toBe(2)
    expect(operation.stderr).toContain('did you mean getAccount')
    const query = await run('api listAccounts --query pge=1')
    expect(query.stderr).toContain('did you mean page?')
    expect((await run('api getAccount')).code).toBe(6)
  })

  test('refuses secrets on the command line', async () => {
    const { code } = await run(`api changeAccountPassword --path id=${ids.alice} --field new_password=hunter22`)
    expect(code).toBe(2)
    expect(stub.lines()).toEqual([])
  })

  test('asks before a deletion', async () => {
    expect((await run(`api /packages/${ids.package} -X delete`)).code).toBe(6)
    expect((await run(`api /packages/${ids.package} -X delete --yes`)).code).toBe(0)
  })

  test('prints curl without the token', async () => {
    const { stdout } = await run('api listAccounts --query q=al --curl')
    expect(stdout).toBe(`curl -H "Authorization: Bearer $PANEL_TOKEN" '${stub.url}/api/v1/accounts?q=al'\n`)
  })

  test('lists the operations', async () => {
    const { stdout } = await run('api --list -o json')
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ id: 'listAccounts', path: '/accounts' }))
  })

  test('--all reads every page', async () => {
    expect(JSON.parse((await run('api listAccounts --query per_page=1 --all')).stdout)).toHaveLength(2)
  })
})

describe('server of a command', () => {
  test.each(['', '/', '/api/v1', '/api/v1/'])('finds the server with %j after its address', async (ending) => {
    expect((await run('accounts list', { PANEL_URL: stub.url + ending })).code).toBe(0)
    expect(last()?.headers.authorization).toBe('Bearer pnl_x')
  })

  test.each([
    ['http://panel.example:7711', 'must be https'],
    ['https://user:pw@panel.example', 'must not hold a name or password'],
    ['panel.example', 'is not a URL'],
  ])('refuses %s as a server', async (url, message) => {
    const { code, stderr } = await run('accounts list', { PANEL_URL: url })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  test('uses the socket in the data directory', async () => {
    const local = await startStub(join(folder, 'panel.sock'))
    const env = { PANEL_URL: '', PANEL_TOKEN: '', PANEL_DATA_DIR: folder }
    expect((await run('accounts list -o name', env)).stdout).toBe('alice\nbob\n')
    expect(local.requests[0]?.headers.authorization).toBeUndefined()
    const { stdout } = await run('whoami -o json', env)
    expect(JSON.parse(stdout)).toMatchObject({ user: 'root', kind: 'root', address: `unix:${folder}/panel.sock` })
    await local.close()
  })

  test('uses a saved server with --context', async () => {
    const config = join(folder, 'panel')
    const { mkdirSync } = await import('node:fs')
    mkdirSync(config)
    writeFileSync(
      join(config, 'contexts.json'),
      JSON.stringify({ contexts: { prod: { url: stub.url, token: 'pnl_p' } } }),
    )
    await run('accounts list --context prod', { XDG_CONFIG_HOME: folder, PANEL_URL: 'http://127.0.0.1:1' })
    expect(last()?.headers.authorization).toBe('Bearer pnl_p')
    expect((await run('accounts list --context test', { XDG_CONFIG_HOME: folder })).code).toBe(2)
  })

  test('reports the owner of the token', async () => {
    const token = { server: 'host.example', principal_name: 'root', kind: 'admin', name: 'ci', scopes: ['full-access'] }
    stub.handle(({ path }) => (path === '/token' ? { body: token } : undefined))
    const { stdout } = await run('whoami -o json')
    expect(JSON.parse(stdout)).toMatchObject({
      server: 'host.example',
      user: 'root',
      kind: 'admin token',
      chosen_by: 'PANEL_URL',
      token: { name: 'ci' },
    })
  })
})

describe('help', () => {
  test.each(['contexts', 'environment', 'exit-codes', 'output', 'scripting'])('has the topic %s', async (topic) => {
    const { code, stdout, stderr } = await run(`help ${topic}`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.length).toBeGreaterThan(200)
  })

  test('shows a command either way', async () => {
    expect((await run('help accounts create')).stdout).toBe((await run('accounts create --help')).stdout)
  })

  test('reports an area on its own as wrong usage, with its help on standard error', async () => {
    const { code, stdout, stderr } = await run('accounts')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('suspend')
  })
})
