import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bin, ended, ensureBuilt, environment, panel, root, start } from './run.ts'
import { account, ids, type Stub, startStub } from './stub.ts'

let stub: Stub
let env: Record<string, string>
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
  env = { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_canary' }
})
beforeEach(() => stub.reset())
afterAll(() => stub.close())

describe('the executable', () => {
  test('answers --version from package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(await panel(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test.each([
    ['bash', 'panel.bash'],
    ['zsh', '_panel'],
    ['fish', 'panel.fish'],
    ['powershell', 'panel.ps1'],
  ])('prints the completion of %s', async (shell, file) => {
    const { code, stdout } = await panel(['completion', shell])
    expect(code).toBe(0)
    expect(stdout).toBe(readFileSync(join(root, 'completions', file), 'utf8'))
  })

  test('prints its help without a command', async () => {
    const { code, stdout, stderr } = await panel([])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('accounts')
  })

  test('prints tables for scripts: tabs, untruncated, no escape codes', async () => {
    const { code, stdout, stderr } = await panel(['accounts', 'list', '--columns', 'username,created_at'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe('username\tcreated_at\nalice\t2023-11-14T22:13:20.000Z\nbob\t2023-11-14T22:13:20.000Z\n')
  })

  test('answers --select in a build too', async () => {
    const { code, stdout, stderr } = await panel(['accounts', 'list', '--select', '[].username'], { env })
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'alice\nbob\n', stderr: '' })
  })

  test('prints a list of many pages as one array, complete through a pipe', async () => {
    const many = Array.from({ length: 1200 }, (_, at) => account(`user${at}`, ids.alice, { note: 'x'.repeat(300) }))
    stub.handle(({ path, query }) => {
      if (path !== '/accounts') return undefined
      const [page, size] = [Number(query.get('page')), Number(query.get('per_page'))]
      return { body: { items: many.slice((page - 1) * size, page * size), total: many.length } }
    })
    const { code, stdout } = await panel(['accounts', 'list', '--output', 'json'], { env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toHaveLength(1200)
    expect(stub.lines()).toHaveLength(3)
  })

  test('does not treat a closed pipe as an error', async () => {
    const many = Array.from({ length: 500 }, (_, at) => account(`user${at}`, ids.alice, { note: 'x'.repeat(900) }))
    stub.handle(() => ({ body: { items: many, total: 100_000 } }))
    const command = `"${process.execPath}" "${bin}" accounts list --output jsonl | head -1`
    const result = await ended(spawn('bash', ['-c', `set -o pipefail; ${command}`], { env: environment(env) }))
    expect(result.stderr).toBe('')
    expect(result.stdout.split('\n')).toHaveLength(2)
    expect(stub.lines().length).toBeLessThan(50)
  })

  test.runIf(existsSync('/dev/full'))('reports output lost on a full disk', async () => {
    const command = `"${process.execPath}" "${bin}" accounts list > /dev/full`
    const result = await ended(spawn('bash', ['-c', command], { env: environment(env) }))
    expect(result.code).toBe(1)
    expect(result.stderr).toMatch(/^error: standard output cannot be written: ENOSPC.*\n$/)
  })

  test('does not treat a closed pipe as an error for help either', async () => {
    const command = `"${process.execPath}" "${bin}" accounts create --help | true`
    const result = await ended(spawn('bash', ['-c', `set -o pipefail; ${command}`], { env: environment(env) }))
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('prints no colours unless they are forced', async () => {
    const forced = await panel(['accounts', 'show', 'carol'], { env: { ...env, FORCE_COLOR: '1' } })
    expect(forced.stderr).toContain('\u001b[31merror:')
    const refused = await panel(['accounts', 'show', 'carol', '--no-color'], { env: { ...env, FORCE_COLOR: '1' } })
    expect(refused.stderr).not.toContain('\u001b')
    const none = await panel(['accounts', 'show', 'carol'], { env: { ...env, FORCE_COLOR: '1', NO_COLOR: '1' } })
    expect(none.stderr).not.toContain('\u001b')
  })
})

describe('secrets', () => {
  test('reads secrets from standard input', async () => {
    const words = ['accounts', 'set-password', 'alice', '--password-stdin']
    const result = await panel(words, { env, input: 'correct horse\n' })
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(stub.requests.at(-1)?.body).toEqual({ new_password: 'correct horse' })
  })

  test('refuses secrets as arguments, and does not repeat them', async () => {
    const result = await panel(['accounts', 'set-password', 'alice', '--password', 'hunter22'], { env })
    expect(result.code).toBe(2)
    expect(result.stderr).not.toContain('hunter22')
    expect(result.stderr).toContain('--password-stdin')
    expect(stub.lines()).toEqual([])
  })

  test('accepts secrets from only one place', async () => {
    const words = ['accounts', 'set-password', 'alice', '--password-stdin', '--password-file', '/dev/null']
    const { code, stderr } = await panel(words, { env, input: 'correct horse\n' })
    expect([code, stderr]).toEqual([2, expect.stringContaining('--password-stdin and --password-file')])
    expect(stub.lines().filter((line) => !line.startsWith('GET '))).toEqual([])
  })

  test('keeps secrets out of --debug', async () => {
    const words = ['accounts', 'set-password', 'alice', '--password-stdin', '--debug']
    const { stderr } = await panel(words, { env, input: 'correct horse' })
    expect(stderr).toMatch(/debug: POST \/accounts\/\w+\/password 204 req-1 \d+ ms/)
    expect(stderr).not.toMatch(/correct horse|pnl_canary/)
  })

  test('reports missing secrets as needed input without a terminal', async () => {
    const { code, stderr } = await panel(['accounts', 'set-password', 'alice'], { env })
    expect(code).toBe(6)
    expect(stderr).toContain('--password-file')
  })

  test('does not read secrets for --dry-run', async () => {
    const { code, stdout } = await panel(['accounts', 'set-password', 'alice', '--dry-run'], { env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).body).toEqual({ new_password: '[secret]' })
  })
})

describe('followed job', () => {
  const running = (log: object[]) => ({
    job: { id: ids.job, kind: 'account.suspend', status: 'running', progress_pct: 40 },
    log,
  })

  test('leaves a followed job on Ctrl-C, and says how to resume', async () => {
    stub.handle(({ path }) => (path === `/jobs/${ids.job}` ? { body: running([]) } : undefined))
    const child = start(['accounts', 'suspend', 'alice'], { env })
    const result = ended(child)
    while (!stub.lines().some((line) => line.includes('/jobs/'))) await new Promise((next) => setTimeout(next, 20))
    setTimeout(() => child.kill('SIGINT'), 100)
    const { code, stdout, stderr } = await result
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' })
    expect(stderr).toContain(`panel jobs wait ${ids.job}`)
  })
})

describe('local socket', () => {
  test('says how to start a server when there is none', async () => {
    const { code, stdout, stderr } = await panel(['accounts', 'list', '--data-dir', '/nonexistent/panel'])
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(stderr).toContain('panel serve')
  })
})
