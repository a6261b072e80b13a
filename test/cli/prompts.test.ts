import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Dialogue, hasScript, typed } from './pty.ts'
import { ensureBuilt } from './run.ts'
import { ids, type Stub, startStub } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
})
beforeEach(() => stub.reset())
afterAll(() => stub.close())

const onTerminal = (line: string, dialogue: Dialogue) =>
  typed(line, { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' }, dialogue)
const clear = '\u0015'

describe.runIf(hasScript)('prompt', () => {
  test('names the server first, and checks a name with the server until it is accepted', async () => {
    stub.handle(({ path, query }) => {
      if (path !== '/accounts-check') return undefined
      const [[field, value] = ['', '']] = [...query]
      const taken = value === 'Bad_Name' || value === 'taken.example'
      return { body: { [field]: taken ? { available: false, reason: `${value} will not do` } : { available: true } } }
    })
    const { code, text } = await onTerminal('accounts create --no-wait', [
      ['Username', 'Bad_Name\r'],
      ['Bad_Name will not do', `${clear}alice\r`],
      ['domain', 'taken.example\r'],
      ['taken.example will not do', `${clear}alice.example\r`],
    ])
    expect(code).toBe(0)
    expect(text).toMatch(/^On 127\.0\.0\.1:\d+:\n/)
    expect(stub.requests.at(-1)?.body).toEqual({ username: 'alice', domain: 'alice.example' })
  })

  test('accepts what the server cannot check: errors are shown on submit', async () => {
    stub.handle(({ path }) =>
      path === '/accounts-check' ? { status: 403, body: { type: 'x/forbidden', title: 'Not allowed' } } : undefined,
    )
    const { code } = await onTerminal('accounts create --no-wait', [
      ['Username', 'alice\r'],
      ['domain', 'alice.example\r'],
    ])
    expect(code).toBe(0)
  })

  test('refuses a password that is too short before it asks again', async () => {
    const { code, text } = await onTerminal(`accounts set-password ${ids.alice}`, [
      ['password', 'short\r'],
      ['must have 8 to 128 characters', `${clear}correct horse\r`],
      ['Repeat it', 'correct horse\r'],
    ])
    expect(code).toBe(0)
    expect(text.match(/Repeat it/g)?.length).toBeGreaterThan(0)
    expect(stub.requests.at(-1)?.body).toEqual({ new_password: 'correct horse' })
  })

  test("enforces the contract's format", async () => {
    const { code } = await onTerminal('packages create', [
      ['Name', '-wrong\r'],
      ['is invalid', `${clear}small\r`],
    ])
    expect(code).toBe(0)
    expect(stub.requests.map(({ body }) => body)).toEqual([{ name: 'small' }])
  })

  test('says how to write a date, and refuses other texts', async () => {
    stub.handle(() => ({ body: { valid: true, valid_until: 1 } }))
    const { code } = await onTerminal('license set', [
      ['a date such as 2031-12-31', 'soon\r'],
      ['must be a date such as', `${clear}2031-12-31\r`],
    ])
    expect(code).toBe(0)
    expect(stub.requests.at(-1)?.body).toEqual({ valid_until: Date.parse('2031-12-31') })
  })

  test('does not combine a full scope with areas', async () => {
    stub.handle(() => ({ status: 201, body: { secret: 'pnl_x', token: { id: ids.token, name: 'x', scopes: [] } } }))
    const [down, space] = ['\u001b[B', ' ']
    const { code } = await onTerminal('tokens create ci', [
      ['full-access', `${down}${space}${down}${space}\r`],
      ['read-only cannot be combined', `${space}\r`],
    ])
    expect(code).toBe(0)
    expect(stub.requests.at(-1)?.body).toEqual({ name: 'ci', scopes: ['read-only'] })
  })
})
