import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inProcess } from './run.ts'
import { type Stub, startStub } from './stub.ts'

const folder = mkdtempSync(join(tmpdir(), 'panel-choose-'))
let saved: Stub
let other: Stub
beforeAll(async () => {
  saved = await startStub()
  other = await startStub()
  mkdirSync(join(folder, 'panel'), { mode: 0o700 })
  const contexts = { prod: { url: saved.url, token: 'pnl_canary' }, test: { url: other.url, token: 'pnl_canary' } }
  writeFileSync(join(folder, 'panel/contexts.json'), JSON.stringify({ current: 'prod', contexts }), { mode: 0o600 })
})
beforeEach(() => {
  saved.reset()
  other.reset()
})
afterAll(async () => {
  await Promise.all([saved.close(), other.close()])
  rmSync(folder, { recursive: true })
})

const run = (line: string, env: Record<string, string> = {}) =>
  inProcess(line.split(' '), { XDG_CONFIG_HOME: folder, ...env })
const requests = () => ({ prod: saved.requests.length, test: other.requests.length })

describe('choice of the server', () => {
  test('uses the current context by default', async () => {
    expect((await run('packages list')).code).toBe(0)
    expect(requests()).toEqual({ prod: 1, test: 0 })
  })

  test('prefers an exported data directory to the saved context, though nothing reaches it', async () => {
    const { code, stderr } = await run('accounts list', { PANEL_DATA_DIR: '/nonexistent/scratch' })
    expect(code).toBe(7)
    expect(stderr).toContain('/nonexistent/scratch/panel.sock')
    expect(requests()).toEqual({ prod: 0, test: 0 })
  })

  test.each([['PANEL_URL'], ['PANEL_CONTEXT']])('prefers the server of %s to the saved context', async (name) => {
    const value = name === 'PANEL_URL' ? other.url : 'test'
    expect((await run('packages list', { [name]: value, PANEL_TOKEN: 'pnl_x' })).code).toBe(0)
    expect(requests()).toEqual({ prod: 0, test: 1 })
  })

  test('prefers the server of an option to the environment', async () => {
    await run('packages list --context test', { PANEL_DATA_DIR: '/nonexistent/panel', PANEL_URL: saved.url })
    expect(requests()).toEqual({ prod: 0, test: 1 })
    const { stderr } = await run('packages list --data-dir /nonexistent/here', { PANEL_URL: saved.url })
    expect(stderr).toContain('/nonexistent/here/panel.sock')
  })

  test.each([
    ['accounts list --context prod --data-dir /nonexistent/x', {}, '--context and --data-dir'],
    ['accounts list --all-contexts --data-dir /nonexistent/x', {}, '--data-dir and --all-contexts'],
    [
      'accounts list',
      { PANEL_URL: 'https://a.example', PANEL_DATA_DIR: '/nonexistent' },
      'PANEL_URL and PANEL_DATA_DIR',
    ],
    ['accounts list', { PANEL_CONTEXT: 'prod', PANEL_DATA_DIR: '/nonexistent' }, 'PANEL_CONTEXT and PANEL_DATA_DIR'],
    ['accounts list', { PANEL_CONTEXT: 'prod', PANEL_URL: 'https://a.example' }, 'PANEL_CONTEXT and PANEL_URL'],
  ])('refuses two servers that differ: %s %j', async (line, env, names) => {
    const { code, stdout, stderr } = await run(line, env)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(names)
    expect(requests()).toEqual({ prod: 0, test: 0 })
  })

  test.each(['--data-dir DIR', '--context local --data-dir DIR'])(
    'withholds the token that belongs to PANEL_URL from the server of %s',
    async (options) => {
      const dir = mkdtempSync(join(folder, 'local-'))
      const tokens: (string | undefined)[] = []
      const local = createServer(({ headers }, response) => {
        tokens.push(headers.authorization)
        response.setHeader('Content-Type', 'application/json').end('{"items":[],"total":0}')
      })
      await new Promise<void>((done) => local.listen(join(dir, 'panel.sock'), done))
      const line = `packages list ${options.replace('DIR', dir)}`
      const codes = [
        (await run(line, { PANEL_URL: saved.url, PANEL_TOKEN: 'pnl_canary' })).code,
        (await run(line, { PANEL_TOKEN: 'pnl_local' })).code,
      ]
      await new Promise((done) => local.close(done))
      expect({ codes, tokens, requests: requests() }).toEqual({
        codes: [0, 0],
        tokens: [undefined, 'Bearer pnl_local'],
        requests: { prod: 0, test: 0 },
      })
    },
  )

  test('accepts the same server twice', async () => {
    expect((await run('packages list', { PANEL_CONTEXT: 'test', PANEL_URL: `${other.url}/api/v1` })).code).toBe(0)
    expect(other.requests[0]?.headers.authorization).toBe('Bearer pnl_canary')
    const local = { PANEL_CONTEXT: 'local', PANEL_DATA_DIR: '/nonexistent/panel' }
    expect((await run('packages list', local)).stderr).toContain('/nonexistent/panel/panel.sock')
  })
})
