import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Dialogue, hasScript, typed } from './pty.ts'
import { ensureBuilt, panel } from './run.ts'
import { ids, type Received, type Reply, type Stub, startStub } from './stub.ts'

const folder = mkdtempSync(join(tmpdir(), 'panel-confirm-'))
const password = 'correct horse'
let stub: Stub
let confirmed: boolean
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
  mkdirSync(join(folder, 'panel'))
  const session = { panel: 'user', username: 'alice', cookie: 'in', csrf: 'c' }
  const contexts = { prod: { url: stub.url, session } }
  writeFileSync(join(folder, 'panel/contexts.json'), JSON.stringify({ current: 'prod', contexts }), { mode: 0o600 })
  writeFileSync(join(folder, 'current'), `${password}\n`)
})
beforeEach(() => {
  confirmed = false
  stub.reset()
  stub.handle(serving)
})
afterAll(async () => {
  await stub.close()
  rmSync(folder, { recursive: true })
})

const problem = (status: number, code: string, fields?: Record<string, string>): Reply => ({
  status,
  body: { type: `https://x/problems/${code}`, title: code, ...(fields && { fields }) },
})

/** The panel of the customer alice, whose session has not confirmed a password recently. */
function serving({ method, path, body }: Received): Reply | undefined {
  const input = body as { password?: string } | undefined
  if (path === '/accounts') return problem(403, 'forbidden')
  if (path === '/user/auth/session') return { body: { authenticated: true, username: 'alice', account_id: ids.alice } }
  if (path === '/user/auth/confirm' && input?.password !== password)
    return problem(400, 'validation', { password: 'is wrong' })
  if (path === '/user/auth/confirm') confirmed = true
  if (path === '/user/auth/confirm') return { status: 204 }
  if (method === 'GET') return undefined
  return confirmed ? { status: 204 } : problem(403, 'confirm-password')
}

const env = { XDG_CONFIG_HOME: folder }
const onTerminal = (line: string, dialogue: Dialogue) => typed(line, env, dialogue)
const changes = () => stub.lines().filter((line) => !line.startsWith('GET'))
const revoke = `tokens revoke ${ids.token} --account alice --yes`
const revoked = `DELETE /accounts/${ids.alice}/tokens/${ids.token}`
const confirmation = 'POST /user/auth/confirm'

describe.runIf(hasScript)('call that needs a confirmed password, on a terminal', () => {
  test('asks for it, confirms it and is sent once more', async () => {
    const { code, text } = await onTerminal(revoke, [['Your password on prod', `${password}\r`]])
    expect(changes()).toEqual([revoked, confirmation, revoked])
    expect(text).not.toContain(password)
    expect(code).toBe(0)
  })

  test('does not send the call again after a wrong password', async () => {
    const { code, text } = await onTerminal(revoke, [['Your password on prod', 'a guess\r']])
    expect(changes()).toEqual([revoked, confirmation])
    expect(text).toContain('is wrong')
    expect(code).toBe(1)
  })

  test('cancels the call with Ctrl-C', async () => {
    const { code } = await onTerminal(revoke, [['Your password on prod', '\u0003']])
    expect([code, changes()]).toEqual([130, [revoked]])
  })

  test('asks for the current password too when the call sets a new one', async () => {
    const { code } = await onTerminal('accounts set-password alice', [
      ['Current password', `${password}\r`],
      ['anel password', 'a new password\r'],
      ['Repeat it', 'a new password\r'],
      ['Your password on prod', `${password}\r`],
    ])
    expect(code).toBe(0)
    expect(stub.requests.at(-1)).toMatchObject({
      path: `/accounts/${ids.alice}/password`,
      body: { current_password: password, new_password: 'a new password' },
    })
  })
})

describe('call that needs a confirmed password, without a terminal', () => {
  test('refuses the call and says what to do', async () => {
    const { code, stderr } = await panel(revoke.split(' '), { env })
    expect([code, changes()]).toEqual([4, [revoked]])
    expect(stderr).toContain('in a script use a token, or sign in again: panel login --context prod')
  })

  test("accepts a customer's current password from a file", async () => {
    confirmed = true
    const words = ['accounts', 'set-password', 'alice', '--password-stdin']
    const input = [...words, '--current-password-file', join(folder, 'current')]
    expect((await panel(input, { env, input: 'a new password' })).code).toBe(0)
    expect(stub.requests.at(-1)!.body).toEqual({ current_password: password, new_password: 'a new password' })
    stub.reset()
    stub.handle(serving)
    const without = await panel(words, { env, input: 'a new password' })
    expect([without.code, changes()]).toEqual([6, []])
    expect(without.stderr).toContain('--current-password-file')
  })
})

test("a customer's session knows its account by name", async () => {
  const { code } = await panel(['tokens', 'list', '--account', 'alice'], { env })
  expect(code).toBe(0)
  expect(stub.lines().at(-1)).toMatch(`GET /accounts/${ids.alice}/tokens`)
  expect((await panel(['tokens', 'list', '--account', 'bob'], { env })).code).toBe(3)
})
