import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'
import { soon } from '../wait-for.ts'

const address = '203.0.113.7'
const password = 'correct horse battery'
const day = 86_400_000
const minute = 60_000

const events = async (panel: TestPanel): Promise<Json[]> =>
  (await panel.get('/events?type=security.banned,security.unbanned')).body.items.map(({ type, data }: Json) => [
    type,
    data.object,
    data.details,
  ])

const banned = async (panel: TestPanel): Promise<Json[]> => (await panel.get('/bans')).body.items

const guess = (panel: TestPanel, username: string, from: string) =>
  panel.post('/user/auth/login', { username, password: 'wrong' }, { from })

/** Lines of the list that a machine would load. */
const loaded = (panel: TestPanel): string[] => {
  const path = join(panel.dir, 'host/bans')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
}

test('root bans an address, prolongs it, finds it, and lifts it', async () => {
  const panel = await startPanel()
  const made = await panel.post('/bans', { address, for_s: 3600, reason: 'Guesses' })
  expect(made.status).toBe(201)
  const now = panel.clock.now()
  expect(made.body).toEqual({
    ...{ id: made.body.id, address, service: 'manual', failures: 0, reason: 'Guesses', since: now },
    ...{ until: now + 3_600_000, by: 'root', accounts: [], sample: [] },
  })
  await soon(() => expect(loaded(panel)).toEqual([`${address} ${(now + 3_600_000) / 1000}`]))
  const again = await panel.post('/bans', { address, for_s: 86_400 })
  expect([again.status, again.body.id, again.body.until]).toEqual([200, made.body.id, now + day])
  expect((await panel.get(`/bans/${made.body.id}`)).body).toEqual(again.body)
  expect((await panel.get(`/bans/check?address=${address}`)).body).toEqual({
    ...{ banned: true, until: now + day, service: 'manual', liftable: true },
  })
  expect((await panel.get(`/bans?address=${address}&service=manual`)).body.total).toBe(1)
  expect((await panel.get(`/bans?address=${address}&service=ssh`)).body.total).toBe(0)
  await panel.clock.advance(1000)
  expect((await panel.delete(`/bans/${made.body.id}`)).status).toBe(204)
  expect(await banned(panel)).toEqual([])
  expect((await panel.get(`/bans/check?address=${address}`)).body).toEqual({ banned: false, liftable: false })
  expect((await panel.delete(`/bans/${made.body.id}`)).code).toBe('not-found')
  await soon(() => expect(loaded(panel)).toEqual([]))
  const one = { id: made.body.id, address, service: 'manual' }
  expect(await events(panel)).toEqual([
    ['security.banned', 'server', { count: 1, bans: [{ ...one, until: now + 3_600_000 }] }],
    ['security.unbanned', 'server', { count: 1, bans: [{ ...one, until: now + day }] }],
  ])
})

test('a ban of an IPv6 address is one of its network, however it is spelled', async () => {
  const panel = await startPanel()
  const made = await panel.post('/bans', { address: '2001:DB8:0:1::5', for_s: 60 })
  expect(made.body.address).toBe('2001:db8:0:1::/64')
  expect((await panel.get('/bans/check?address=2001:db8:0:1:ffff::1')).body.banned).toBe(true)
  expect((await panel.get('/bans/check?address=2001:db8:0:2::1')).body.banned).toBe(false)
  expect((await panel.post('/bans', { address: '::ffff:203.0.113.9', for_s: 60 })).body.address).toBe('203.0.113.9')
  await panel.clock.advance(61_000)
  expect(await banned(panel)).toEqual([])
})

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '192.0.2.1', '198.51.100.77', '2001:db8:7::9'])(
  '%s is never banned',
  async (never) => {
    const panel = await startPanel()
    await panel.post('/ips', { address: '192.0.2.1' })
    await panel.patch('/settings', { ban_allow: ['198.51.100.0/24', '2001:db8:7::/48'] })
    expect((await panel.post('/bans', { address: never, for_s: 60 })).code).toBe('in-use')
    expect(await banned(panel)).toEqual([])
    expect(await events(panel)).toEqual([])
  },
)

test.each([
  [{ address: 'example.com', for_s: 60 }, 'address'],
  [{ address: '203.0.113.0/24', for_s: 60 }, 'address'],
  [{ address: '203.0.113.7\n', for_s: 60 }, 'address'],
  [{ address: 'fe80::1%eth0', for_s: 60 }, 'address'],
  [{ address: '0x7f.1', for_s: 60 }, 'address'],
  [{ address, for_s: 0 }, 'for_s'],
  [{ address, for_s: 60, reason: 'a\u001b[31mb' }, 'reason'],
])('%j is refused for %s', async (body, field) => {
  const panel = await startPanel()
  const refused = await panel.post('/bans', body)
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, [field]])
})

test.each([
  [{ ban_allow: ['0.0.0.0/0'] }],
  [{ ban_allow: ['10.0.0.0/7'] }],
  [{ ban_allow: ['2001::/31'] }],
  [{ ban_allow: ['host.example'] }],
  [{ ban_failures: 1 }],
])('settings %j are refused', async (settings) => {
  const panel = await startPanel()
  expect((await panel.patch('/settings', settings)).status).toBe(400)
})

test('the tenth wrong password within a minute has its address banned, for longer each time', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const until: number[] = []
  for (const expected of [10 * minute, 60 * minute, day, 7 * day, 7 * day]) {
    for (let tries = 0; tries < 9; tries++) await guess(panel, 'alice', address)
    expect(await banned(panel)).toEqual([])
    await guess(panel, 'alice', address)
    const [ban] = await soonBanned(panel)
    expect(ban).toEqual({
      ...{ id: ban.id, address, service: 'panel', failures: 10, reason: '10 failed sign-ins', by: 'system' },
      ...{
        since: panel.clock.now(),
        until: panel.clock.now() + expected,
        accounts: [id],
        sample: ['panel: alice (10)'],
      },
    })
    until.push(ban.until)
    panel.clock.jump(expected + 16 * minute)
  }
  expect(new Set(until).size).toBe(5)
})

const soonBanned = async (panel: TestPanel): Promise<Json[]> => {
  await soon(async () => expect(await banned(panel)).not.toEqual([]))
  return banned(panel)
}

test('what is mistyped for a name is not shown, nor are failures a minute apart counted', async () => {
  const panel = await startPanel()
  for (let tries = 0; tries < 30; tries++) {
    await guess(panel, `slow${tries}`, '203.0.113.99')
    panel.clock.jump(61_000)
  }
  for (let tries = 0; tries < 10; tries++) await guess(panel, 'my-password-1', address)
  const bans = await soonBanned(panel)
  expect(bans.map((ban) => [ban.address, ban.accounts, ban.sample])).toEqual([
    [address, [], ['panel: unknown name (10)']],
  ])
  expect(JSON.stringify(bans)).not.toContain('my-password')
})

test('unknown tokens count, one that has expired does not', async () => {
  const panel = await startPanel()
  const { body } = await panel.post('/tokens', { name: 'old', scopes: ['read-only'], expires_in: '30d' })
  panel.clock.jump(31 * day)
  const call = (token: string, from: string) => panel.get('/accounts', { token, from })
  for (let tries = 0; tries < 12; tries++) await call(body.secret, '203.0.113.8')
  for (let tries = 0; tries < 10; tries++) await call(`${body.secret.slice(0, -4)}AAAA`, address)
  expect((await soonBanned(panel)).map((ban) => [ban.address, ban.service, ban.sample])).toEqual([[address, 'api', []]])
})

test('an address at which root or a reseller was signed in within a day is not banned', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  const admin = new Browser(panel, address)
  await admin.signIn('root', password, 'admin')
  for (let tries = 0; tries < 10; tries++) await guess(panel, 'alice', address)
  for (let tries = 0; tries < 10; tries++) await guess(panel, 'alice', '203.0.113.8')
  expect((await soonBanned(panel)).map((ban) => ban.address)).toEqual(['203.0.113.8'])
})

test('a customer lifts a ban for failures at its own logins alone, once an hour', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const { id: other } = await panel.account('bob', { password })
  for (let tries = 0; tries < 10; tries++) await guess(panel, 'alice', address)
  for (let tries = 0; tries < 10; tries++) await guess(panel, tries < 9 ? 'alice' : 'bob', '203.0.113.8')
  for (let tries = 0; tries < 10; tries++) await guess(panel, 'alice', '203.0.113.9')
  await soon(async () => expect(await banned(panel)).toHaveLength(3))
  const [ban] = await banned(panel)
  const browser = new Browser(panel)
  await browser.signIn('alice', password)
  const check = (from: string, account = id) => browser.get(`/accounts/${account}/bans/check?address=${from}`)
  expect((await check(address)).body).toEqual({ banned: true, until: ban.until, service: 'panel', liftable: true })
  expect((await check('203.0.113.8')).body).toEqual({
    ...{ banned: true, until: ban.until, service: 'panel', liftable: false },
  })
  expect((await check(address, other)).code).toBe('not-found')
  const lift = (from: string) => browser.post(`/accounts/${id}/bans/lift`, { address: from })
  expect((await lift('203.0.113.8')).code).toBe('forbidden')
  expect((await lift('203.0.113.70')).code).toBe('not-found')
  expect((await lift(address)).status).toBe(204)
  expect((await check(address)).body).toEqual({ banned: false, liftable: false })
  expect((await lift('203.0.113.9')).code).toBe('rate-limited')
  panel.clock.jump(61_000)
  expect((await panel.post(`/accounts/${id}/bans/lift`, { address: '203.0.113.9' })).code).toBe('forbidden')
  const bob = new Browser(panel)
  await bob.signIn('bob', password)
  const seen = await bob.get(`/accounts/${other}/bans/check?address=203.0.113.9`)
  expect(seen.body).toEqual({ banned: true, until: ban.until, liftable: false })
})

test('many bans within a second are one event more', async () => {
  const panel = await startPanel()
  for (let last = 1; last <= 5; last++) await panel.post('/bans', { address: `203.0.113.${last}`, for_s: 60 })
  await panel.clock.advance(1000)
  await soon(async () => expect((await events(panel)).map(([, , { count }]) => count)).toEqual([1, 4]))
})

test('hosts hear of a ban also after all former ones are forgotten', async () => {
  const panel = await startPanel()
  for (let last = 1; last <= 5; last++) await panel.post('/bans', { address: `203.0.113.${last}`, for_s: 60 })
  await soon(() => expect(loaded(panel)).toHaveLength(5))
  await panel.clock.leap(31 * day)
  await panel.clock.advance(minute)
  const { until } = (await panel.post('/bans', { address, for_s: 60 })).body
  await soon(() => expect(loaded(panel)).toContain(`${address} ${until / 1000}`))
})
