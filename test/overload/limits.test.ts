import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Buckets, defaultLimits } from '../../src/runtime/operations/limits.ts'
import { FakeClock } from '../clock.ts'
import { type Reply, type Send, startPanel, type TestPanel } from '../harness.ts'
import { resellerToken, signIn } from '../world.ts'

const few = {
  caller: { burst: 10, perSecond: 2 },
  customer: { burst: 6, perSecond: 1 },
  address: { burst: 15, perSecond: 3 },
}
const first = ({ status, code }: Reply): string => `${status} ${code ?? ''}`.trim()

/** Sends a number of changes without effect, and returns the responses. */
async function changes(panel: TestPanel, count: number, options: { token?: string; from?: string } = {}) {
  const answers: string[] = []
  for (let sent = 0; sent < count; sent++) answers.push(first(await panel.post('/packages', { odd: 1 }, options)))
  return answers
}

const spent = (count: number): string[] => Array(count).fill('400 validation')

describe('token beyond its limits', () => {
  test('makes a token that used its burst wait as long as Retry-After says, and no longer', async () => {
    const panel = await startPanel({ limits: few })
    const token = await panel.token(['packages:write'])
    expect(await changes(panel, 11, { token })).toEqual([...spent(10), '429 rate-limited'])
    const refused = await panel.post('/packages', { name: 'late' }, { token })
    expect(first(refused)).toBe('429 rate-limited')
    expect(refused.headers.get('retry-after')).toBe('1')
    await panel.clock.advance(1000)
    expect(await changes(panel, 3, { token })).toEqual([...spent(2), '429 rate-limited'])
  })
  test('refuses the token before its body is read, and stores nothing', async () => {
    const panel = await startPanel({ limits: few })
    const token = await panel.token(['packages:write'])
    await changes(panel, 10, { token })
    const packages = (await panel.get('/packages')).body.total
    expect(first(await panel.post('/packages', 'no json at all', { token }))).toBe('429 rate-limited')
    expect(first(await panel.post('/packages', { name: 'small' }, { token }))).toBe('429 rate-limited')
    expect((await panel.get('/packages')).body.total).toBe(packages)
  })
  test('may read without limit, except for large pages', async () => {
    const panel = await startPanel({ limits: few })
    const token = await panel.token(['accounts:read'])
    for (let requests = 0; requests < 50; requests++)
      expect(first(await panel.get('/accounts?per_page=200', { token }))).toBe('200')
    for (let requests = 0; requests < 10; requests++)
      expect(first(await panel.get('/accounts?per_page=500', { token }))).toBe('200')
    expect(first(await panel.get('/accounts?per_page=201', { token }))).toBe('429 rate-limited')
    expect(first(await panel.get('/accounts', { token }))).toBe('200')
  })
  test('pays more for a password', async () => {
    const panel = await startPanel({ limits: few })
    const token = await panel.token(['accounts:write'])
    const create = (password: string) => panel.post('/accounts', { username: 'x', domain: 'x', password }, { token })
    expect(first(await create('long enough'))).toBe('400 validation')
    expect(first(await create('long enough'))).toBe('429 rate-limited')
    expect(await changes(panel, 1, { token })).toEqual(['403 token-scope'])
  })
  test('pays for the size of what it sends', async () => {
    const panel = await startPanel({ limits: few })
    const token = await panel.token(['packages:write'])
    const send = (KiB: number) => panel.post('/packages', { odd: 'x'.repeat(KiB * 1024 - 10) }, { token })
    expect(first(await send(16))).toBe('400 validation')
    expect(first(await send(6 * 16))).toBe('400 validation')
    expect(first(await send(4 * 16))).toBe('429 rate-limited')
    expect(first(await send(16))).toBe('400 validation')
    expect(await changes(panel, 2, { token })).toEqual(['400 validation', '429 rate-limited'])
  })
  test('pays for each further thousand values that it sends, before they are made', async () => {
    const panel = await startPanel({ limits: few })
    const token = await panel.token(['packages:write'])
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const send = async (values: number) => {
      const text = `{"odd":[${'{},'.repeat(values / 2)}0]}`
      const answer = first(await panel.post('/packages', text, { token }))
      return [answer, parse.mock.calls.some(([parsed]) => parsed === text)]
    }
    expect(await send(900)).toEqual(['400 validation', true])
    expect(await send(10_500)).toEqual(['429 rate-limited', false])
  })
  test('pays for each further 20 items of the lists that it sends', async () => {
    const panel = await startPanel({ limits: few })
    const { id } = await panel.account('alice')
    const [zone] = (await panel.get(`/accounts/${id}/dns/zones`)).body.items
    const token = await panel.token(['accounts:write'])
    const send = (count: number) => {
      const create = Array.from({ length: count }, (_, at) => ({ name: `h${at}`, type: 'A', value: 'no address' }))
      return panel.post(`/accounts/${id}/dns/zones/${zone.id}/changes`, { create }, { token })
    }
    expect(first(await send(20))).toBe('400 validation')
    expect(first(await send(160))).toBe('400 validation')
    expect(first(await send(21))).toBe('429 rate-limited')
    await panel.clock.advance(500)
    expect(first(await send(20))).toBe('400 validation')
  })
  test('charges nothing to a token that is refused for lack of permission', async () => {
    const panel = await startPanel({ limits: few })
    const token = await panel.token(['accounts:write'])
    expect(new Set(await changes(panel, 30, { token }))).toEqual(new Set(['403 token-scope']))
  })
})

test('tokens have separate budgets, but an address has a shared one', async () => {
  const panel = await startPanel({ limits: few })
  const tokens = [await panel.token(['packages:write']), await panel.token(['packages:write'])]
  expect(await changes(panel, 10, { token: tokens[0]! })).toEqual(spent(10))
  expect(await changes(panel, 6, { token: tokens[1]! })).toEqual([...spent(5), '429 rate-limited'])
  expect(await changes(panel, 1, { token: tokens[1]!, from: '198.51.100.7' })).toEqual(spent(1))
})

describe('customer beyond its limits', () => {
  const change = (panel: TestPanel, id: string, send: Send) => panel.patch(`/accounts/${id}`, { odd: 1 }, send)
  const counted = async (panel: TestPanel, id: string, count: number, send: Send) => {
    const answers: string[] = []
    for (let sent = 0; sent < count; sent++) answers.push(first(await change(panel, id, send)))
    return answers
  }

  test('has one budget of changes for all its tokens and sessions, separate from other accounts', async () => {
    const panel = await startPanel({ limits: few })
    const { id } = await panel.account('alice', { password: 'correct horse battery' })
    const bob = await panel.account('bob')
    const tokens = await Promise.all(['one', 'two'].map((name) => panel.token(['full-access'], { account: id, name })))
    const session = await signIn(panel, 'alice', 'correct horse battery')
    expect(await counted(panel, id, 3, { token: tokens[0]!, from: '198.51.100.1' })).toEqual(spent(3))
    expect(await counted(panel, id, 2, { token: tokens[1]!, from: '198.51.100.2' })).toEqual(spent(2))
    const signedIn = { headers: session, from: '198.51.100.3' }
    expect(await counted(panel, id, 2, signedIn)).toEqual([...spent(1), '429 rate-limited'])
    expect(first(await change(panel, id, { token: tokens[0]!, from: '198.51.100.1' }))).toBe('429 rate-limited')
    const other = await panel.token(['full-access'], { account: bob.id })
    expect(first(await change(panel, bob.id, { token: other, from: '198.51.100.4' }))).toBe('400 validation')
    await panel.clock.advance(1000)
    expect(await counted(panel, id, 2, signedIn)).toEqual([...spent(1), '429 rate-limited'])
  })
  test('lets a customer with an empty budget read, and administrators change its account', async () => {
    const panel = await startPanel({ limits: few })
    const { id } = await panel.account('alice')
    const token = await panel.token(['full-access'], { account: id })
    await counted(panel, id, 7, { token })
    for (const path of [`/accounts/${id}`, `/accounts/${id}/jobs?per_page=500`, `/accounts/${id}/events`])
      expect(first(await panel.get(path, { token }))).toBe('200')
    const billing = await panel.token(['accounts:write'])
    expect(await counted(panel, id, 3, { token: billing, from: '198.51.100.9' })).toEqual(spent(3))
  })
  test('may make 300 changes at once and then 5 a second', () => {
    const clock = new FakeClock()
    const customer = new Buckets(clock, defaultLimits.customer)
    const accepted = (count: number) =>
      Array.from({ length: count }, () => customer.spend('alice', 1)).filter((wait) => wait === 0).length
    expect(accepted(12_000)).toBe(300)
    clock.jump(1000)
    expect(accepted(100)).toBe(5)
  })
})

test('a whole IPv6 /64 counts as one address', async () => {
  const panel = await startPanel({ limits: few })
  const from = (host: number) => ({ from: `2001:db8:0:1::${host}` })
  const redeem = (host: number) => panel.get('/user/auth/sso?token=none', from(host))
  for (let host = 1; host <= 15; host++) expect(first(await redeem(host))).toBe('401 unauthenticated')
  expect(first(await redeem(16))).toBe('429 rate-limited')
  expect(first(await panel.get('/user/auth/sso?token=none', { from: '2001:db8:0:2::1' }))).toBe('401 unauthenticated')
})

test('root on the local socket pays nothing; a token used there does', async () => {
  const panel = await startPanel({ limits: few })
  expect(await changes(panel, 40)).toEqual(spent(40))
  const rita = await panel.account('rita', { make_reseller: true })
  const token = await resellerToken(panel, rita.id, ['add-pkg'])
  const headers = { Authorization: `Bearer ${token}` }
  for (let sent = 0; sent < 10; sent++) await panel.send('POST', '/packages', { body: { odd: 1 }, headers })
  expect(first(await panel.send('POST', '/packages', { body: { odd: 1 }, headers }))).toBe('429 rate-limited')
})

test('a typical billing system never reaches the limits', async () => {
  const clock = new FakeClock()
  const caller = new Buckets(clock, defaultLimits.caller)
  const refusals = Array.from({ length: 60 * 120 }, (_, turn) => {
    if (turn % 120 === 0) clock.jump(1000)
    return caller.spend('billing', turn % 10 === 0 ? 6 : 1)
  }).filter((wait) => wait > 0)
  expect(refusals).toEqual([])
  expect(caller.spend('at once', 5000)).toBe(0)
})

describe('memory about callers', () => {
  test('limits the memory, however many callers there are', () => {
    const buckets = new Buckets(new FakeClock(), { burst: 2, perSecond: 1 })
    for (let caller = 0; caller < 50_000; caller++) buckets.spend(`caller ${caller}`, 1)
    expect(buckets.size).toBeLessThanOrEqual(10_000)
    buckets.spend('caller 49999', 1)
    expect(buckets.spend('caller 49999', 1)).toBeGreaterThan(0)
  })
  test('does not block a caller when the clock goes back', () => {
    const clock = new FakeClock()
    const buckets = new Buckets(clock, { burst: 2, perSecond: 1 })
    buckets.spend('one', 2)
    clock.jump(-86_400_000)
    expect(buckets.spend('one', 1)).toBe(0)
  })
})
