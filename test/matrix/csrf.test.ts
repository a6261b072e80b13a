import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationList } from '../../src/contract/index.ts'
import type { Declaration } from '../../src/contract/operation.ts'
import { type Reply, type Send, TestPanel } from '../harness.ts'
import { unknown } from '../world.ts'
import { home, password, signedIn } from './cast.ts'
import { expected } from './expected.ts'

type Name = 'root' | 'rita' | 'alice'

const changing = operationList.filter((op) => op.method !== 'get').map((op) => [op.id, op] as const)
const guarded = changing.filter(([id]) => expected.get(id) !== 'anyone')
const open = changing.filter(([id]) => expected.get(id) === 'anyone')

let panel: TestPanel
let sessions: Record<Name, Send>

beforeAll(async () => {
  panel = await new TestPanel({}).start()
  await panel.put('/root/password', { new_password: password })
  await panel.account('alice', { password })
  const rita = await panel.account('rita', { password })
  await panel.post('/resellers', { account_id: rita.id, acl: ['all'] })
  sessions = {
    root: await signedIn(panel, 'root', 'admin'),
    rita: await signedIn(panel, 'rita', 'admin'),
    alice: await signedIn(panel, 'alice', 'user'),
  }
})
afterAll(() => panel.stop())

const panelOf = (name: Name): 'admin' | 'user' => (name === 'alice' ? 'user' : 'admin')
const tokenOf = (name: Name): string => sessions[name].headers!['X-CSRF-Token']!
const cookieOf = (name: Name): string => sessions[name].headers!['Cookie']!

/** Sends errors for all later checks too: an unknown object, invalid JSON, an unknown parameter. */
function ask(op: Declaration, cookie: string, token: string | undefined, id = unknown): Promise<Reply> {
  const headers = {
    Cookie: cookie,
    'Content-Type': 'text/plain',
    ...(token === undefined ? {} : { 'X-CSRF-Token': token }),
  }
  return panel.send(op.method.toUpperCase(), `${op.path.replace(/\{\w+\}/g, id)}?odd=1`, {
    from: home,
    headers,
    body: 'no',
  })
}

/** The panels' own operations ignore the other panel's session. */
function due(op: Declaration, name: Name): string {
  const rule = expected.get(op.id)
  const blind = typeof rule === 'object' && 'panel' in rule && rule.panel !== panelOf(name)
  return blind ? '401 unauthenticated' : '403 csrf'
}

const first = ({ status, code }: Reply): string => `${status} ${code}`

describe('change in a session without its own token', () => {
  test.each(guarded)('refuses %s before anything else is checked', async (_, op) => {
    for (const name of ['root', 'rita', 'alice'] as const) {
      const others = (['root', 'rita', 'alice'] as const).filter((other) => other !== name).map(tokenOf)
      const wrong = [
        undefined,
        '',
        'wrong',
        tokenOf(name).slice(1),
        tokenOf(name).toUpperCase(),
        cookieOf(name),
        ...others,
      ]
      for (const token of wrong)
        expect([name, token, first(await ask(op, cookieOf(name), token))]).toEqual([name, token, due(op, name)])
    }
  })
})

describe('token of two sessions', () => {
  test.each(guarded)('acts as the session of the token, and as none with an unknown one: %s', async (_, op) => {
    const both = `${cookieOf('root')}; ${cookieOf('alice')}`
    expect(first(await ask(op, both, tokenOf('rita')))).toBe('403 csrf')
    expect(first(await ask(op, both, undefined))).toBe('403 csrf')
    const rule = expected.get(op.id)
    if (typeof rule !== 'object' || !('panel' in rule)) return
    expect(first(await ask(op, both, tokenOf(rule.panel === 'user' ? 'root' : 'alice')))).toBe('403 csrf')
  })
})

describe('validity of an id', () => {
  test.each(guarded.filter(([, op]) => op.path.includes('{')))(
    'does not reveal whether an id is valid without the token: %s',
    async (_, op) => {
      expect(first(await ask(op, cookieOf('root'), undefined, 'alice'))).toBe(due(op, 'root'))
    },
  )
})

describe('checks before the token', () => {
  test('checks the path before the token', async () => {
    const reply = await panel.send('POST', '/nowhere', { from: home, headers: { Cookie: cookieOf('root') } })
    expect(first(reply)).toBe('404 not-found')
  })
  test('checks the method before the token', async () => {
    const reply = await panel.send('PUT', '/accounts', { from: home, headers: { Cookie: cookieOf('root') } })
    expect(first(reply)).toBe('405 method-not-allowed')
  })
})

describe('requests without a session', () => {
  test.each(open)('needs no token for %s', async (_, op) => {
    expect(first(await ask(op, cookieOf('root'), undefined))).not.toContain('csrf')
  })
  test.each(guarded)('answers 401 to %s with an invalid session cookie', async (_, op) => {
    expect(first(await ask(op, 'panel_admin=x; panel_user=y', tokenOf('root')))).toBe('401 unauthenticated')
  })
})

test('the token is neither the cookie nor shared with another session of the same person', async () => {
  const again = await signedIn(panel, 'alice', 'user')
  expect(again.headers!['X-CSRF-Token']).not.toBe(tokenOf('alice'))
  expect(cookieOf('alice')).not.toContain(tokenOf('alice'))
})
