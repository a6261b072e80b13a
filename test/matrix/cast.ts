import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { resellers } from '../../src/areas/resellers/tables.ts'
import { passkeys } from '../../src/areas/sessions/tables.ts'
import { accountAreas, adminAreas, type Privilege, privilegeNames } from '../../src/contract/common.ts'
import type { Declaration } from '../../src/contract/operation.ts'
import * as input from '../fixtures/index.ts'
import { made } from '../fixtures/index.ts'
import type { Json, Send, TestPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'
import { unknown } from '../world.ts'
import { expected, type Rule } from './expected.ts'
import type { CallerTraits } from './verdict.ts'

export const password = 'correct horse battery'
export const home = '198.51.100.7'
const unreachable = '203.0.113.9'

/** Ids by the path parameter that uses them. */
type Objects = ReadonlyMap<string, string>

/** A caller: its credentials, what it is, and whose objects it requests. */
export interface Caller extends CallerTraits {
  readonly name: string
  readonly send: Send
  readonly objects: Objects
}

/** The cast: rita is a reseller that owns alice; bob is root's; sam is a reseller that owns nobody. */
export interface Cast {
  readonly panel: TestPanel
  readonly callers: readonly Caller[]
  readonly rita: string
}

export async function makeCast(panel: TestPanel): Promise<Cast> {
  const rita = await reseller(panel, 'rita', ['all'])
  const sam = await reseller(panel, 'sam', ['all'])
  await panel.put('/root/password', { new_password: password })
  const root = await signedIn(panel, 'root', 'admin')
  const ritas = await signedIn(panel, 'rita', 'admin')
  const server = await serverObjects(panel, rita)
  const alice = await accountObjects(panel, await customer(panel, 'alice', { owner_id: rita }))
  const bob = await accountObjects(panel, await customer(panel, 'bob'))
  const all = (...some: Objects[]) => new Map([...server, ...some.flatMap((objects) => [...objects])])
  const mine = all(alice, await input.resellerObjects(panel, ritas))
  const others = new Map([...all(bob), ['/resellers/{id}', sam]])
  const places: Places = { mine, others, root: all(alice) }
  const callers = [
    ...(await plain(panel, places, root)),
    ...(await byResellers(panel, places, ritas)),
    ...(await byCustomers(panel, places)),
    ...(await byAdminTokens(panel, places)),
    ...(await byAccountTokens(panel, places)),
    ...(await restricted(panel, all)),
  ]
  return { panel, callers, rita }
}

interface Places {
  /** Objects of alice, and of rita, who owns her. */
  readonly mine: Objects
  /** Objects of bob, of root and of sam. */
  readonly others: Objects
  readonly root: Objects
}

async function plain(panel: TestPanel, { root: objects }: Places, root: Send): Promise<Caller[]> {
  const bad = { Authorization: `Bearer pnl_${'0'.repeat(40)}` }
  const broken = '401 unauthenticated'
  return [
    { name: 'nobody', type: 'nobody', by: 'session', send: { from: home }, objects },
    { name: 'root over the socket', type: 'root', by: 'socket', send: {}, objects: await own(panel, {}, objects) },
    await session('root', { type: 'root', panel: 'admin', send: root, objects }, panel),
    { name: 'an unknown token', type: 'root', by: 'token', broken, send: { from: home, headers: bad }, objects },
    { name: 'an unknown token on the socket', type: 'root', by: 'token', broken, send: { headers: bad }, objects },
    {
      name: 'an unknown token beside a session of root',
      type: 'root',
      by: 'token',
      broken,
      send: { ...root, headers: { ...root.headers, ...bad } },
      objects,
    },
    {
      name: 'a sign-in that waits for its code',
      type: 'nobody',
      by: 'session',
      send: await waiting(panel),
      objects,
    },
  ]
}

async function byResellers(panel: TestPanel, { mine, others }: Places, send: Send): Promise<Caller[]> {
  const token = await tokenOf(panel, send, ['full-access'])
  const reading = await tokenOf(panel, send, ['read-only'])
  const areas = await tokenOf(panel, send, ['packages:write'])
  const rita = { type: 'reseller', panel: 'admin', send, objects: mine } as const
  const byToken = { type: 'reseller', by: 'token', objects: mine } as const
  const full = { token, scopes: ['full-access'] }
  return [
    await session('a reseller with the privilege', { ...rita, able: true }, panel),
    await session('a reseller without the privilege', { ...rita, able: false }, panel),
    await session("a reseller, for another's", { ...rita, able: true, elsewhere: true, objects: others }, panel),
    await session(
      'another reseller with every privilege',
      { ...rita, able: true, elsewhere: true, send: await signedIn(panel, 'sam', 'admin') },
      panel,
    ),
    { name: 'a token of a reseller', ...byToken, able: true, ...sends(full) },
    { name: 'a token of a reseller without the privilege', ...byToken, able: false, ...sends(full) },
    {
      name: "a token of a reseller, for another's",
      ...byToken,
      able: true,
      elsewhere: true,
      ...sends(full),
      objects: others,
    },
    {
      name: 'a read-only token of a reseller',
      ...byToken,
      able: true,
      ...sends({ token: reading, scopes: ['read-only'] }),
    },
    {
      name: 'a token of a reseller for packages',
      ...byToken,
      able: true,
      ...sends({ token: areas, scopes: ['packages:write'] }),
    },
  ]
}

async function byCustomers(panel: TestPanel, { mine, others }: Places): Promise<Caller[]> {
  const alice = {
    type: 'customer',
    panel: 'user',
    send: await signedIn(panel, 'alice', 'user'),
    objects: mine,
  } as const
  return [
    await session('a customer', alice, panel),
    await session('a customer, for another account', { ...alice, elsewhere: true, objects: others }, panel),
    await session('another customer', { ...alice, elsewhere: true, send: await signedIn(panel, 'bob', 'user') }, panel),
    await session(
      'an administrator signed in as the customer',
      { ...alice, acting: true, send: await actingAs(panel, mine.get('/accounts/{id}')!) },
      panel,
    ),
  ]
}

async function byAdminTokens(panel: TestPanel, { root: objects }: Places): Promise<Caller[]> {
  const scopes = [
    ['full-access'],
    ['read-only'],
    ...adminAreas.flatMap((area) => [[`${area}:read`], [`${area}:write`]]),
  ]
  const is = { type: 'root', by: 'token', objects } as const
  const each = scopes.map(async (some): Promise<Caller> => {
    return { name: `an admin token ${some}`, ...is, ...sends({ token: await panel.token(some), scopes: some }) }
  })
  return [...(await Promise.all(each)), ...(await broken(panel, 'an admin token', is))]
}

async function byAccountTokens(panel: TestPanel, { mine, others }: Places): Promise<Caller[]> {
  const account = mine.get('/accounts/{id}')!
  const scopes = [
    ['full-access'],
    ['read-only'],
    ...accountAreas.flatMap((area) => [[`${area}:read`], [`${area}:write`]]),
    ['files:write', 'mysql:read'],
    ['files:write', 'mysql:write'],
  ]
  const is = { type: 'customer', by: 'token', objects: mine } as const
  const each = scopes.map(async (some): Promise<Caller[]> => {
    const inUse = sends({ token: await panel.token(some, { account }), scopes: some })
    return [
      { name: `an account token ${some}`, ...is, ...inUse },
      { name: `an account token ${some}, for another account`, ...is, ...inUse, elsewhere: true, objects: others },
    ]
  })
  return [...(await Promise.all(each)).flat(), ...(await broken(panel, 'an account token', is, account))]
}

/** Tokens that are expired, revoked, or used from a wrong address, with every permission and with none. */
async function broken(
  panel: TestPanel,
  name: string,
  is: Omit<Caller, 'name' | 'send'>,
  account?: string,
): Promise<Caller[]> {
  const make = async (what: string, answer: CallerTraits['broken'], fields: object): Promise<Caller> => {
    const token = await panel.token(['full-access'], { ...(account ? { account } : {}), name: what, ...fields })
    return { name: `${name} that ${what}`, ...is, broken: answer!, ...sends({ token, scopes: ['full-access'] }) }
  }
  const soon = { expires_at: panel.clock.now() + 1 }
  const made = [
    await make('has expired', '401 unauthenticated', soon),
    await make('has expired and is used from elsewhere', '401 unauthenticated', {
      ...soon,
      allowed_ips: [unreachable],
    }),
    await make('is revoked', '401 unauthenticated', {}),
    await make('is used from elsewhere', '403 token-ip', { allowed_ips: [`${unreachable}/32`, '2001:db8::/32'] }),
    await make('is used from elsewhere and has no area', '403 token-ip', {
      allowed_ips: [unreachable],
      scopes: [account ? 'cron:read' : 'packages:read'],
    }),
  ]
  panel.clock.jump(1)
  const path = account ? `/accounts/${account}/tokens` : '/tokens'
  const { items } = (await panel.get(`${path}?per_page=500`)).body
  const revoked = items.find((token: Json) => token.name === 'is revoked')
  expect((await panel.delete(`${path}/${revoked.id}`)).status).toBe(204)
  return made
}

/** Accounts that are suspended, lack the feature, or must change their password first. */
async function restricted(panel: TestPanel, all: (...some: Objects[]) => Objects): Promise<Caller[]> {
  const dora = await customer(panel, 'dora')
  const erin = await customer(panel, 'erin', { package_id: await bare(panel) })
  const is = { type: 'customer', panel: 'user' } as const
  const [doras, erins] = [all(await accountObjects(panel, dora)), all(await accountObjects(panel, erin))]
  const made = [
    await session(
      'a suspended customer',
      { ...is, suspended: true, send: await signedIn(panel, 'dora', 'user'), objects: doras },
      panel,
    ),
    {
      name: 'a token of a suspended account',
      ...is,
      by: 'token',
      suspended: true,
      ...(await full(panel, dora)),
      objects: doras,
    },
    await session(
      'a customer without api_tokens',
      { ...is, withoutFeature: true, send: await signedIn(panel, 'erin', 'user'), objects: erins },
      panel,
    ),
    {
      name: 'a token of an account without api_tokens',
      ...is,
      by: 'token',
      withoutFeature: true,
      ...(await full(panel, erin)),
      objects: erins,
    },
  ] satisfies Caller[]
  await panel.post(`/accounts/${dora}/suspend`, {})
  await featuresOff(panel)
  await panel.settle()
  return made
}

const full = async (panel: TestPanel, account: string) =>
  sends({ token: await panel.token(['full-access'], { account }), scopes: ['full-access'] })

const sends = ({ token, scopes }: { token: string; scopes: readonly string[] }) => ({
  send: { token, from: home },
  scopes,
})

/** A package whose feature list has api_tokens on until {@link featuresOff}. */
async function bare(panel: TestPanel): Promise<string> {
  const list = await made(panel, '/feature-lists', { name: 'bare' })
  return (await made(panel, '/packages', { name: 'bare', feature_list_id: list.id })).id
}

async function featuresOff(panel: TestPanel): Promise<void> {
  const [list] = (await panel.get('/feature-lists?q=bare')).body.items
  const off = await panel.patch(`/feature-lists/${list.id}`, { features: { api_tokens: false } })
  expect(off.status, JSON.stringify(off.body)).toBe(200)
}

/** A caller with a session, which is the one that `{sid}` names. */
async function session(name: string, is: Omit<Caller, 'name' | 'by'>, panel: TestPanel): Promise<Caller> {
  const objects = is.elsewhere ? is.objects : await own(panel, is.send, is.objects)
  return { name, by: 'session', ...is, objects }
}

async function own(panel: TestPanel, send: Send, objects: Objects): Promise<Objects> {
  const all = new Map(objects)
  for (const path of ['/auth/sessions', '/user/auth/sessions']) {
    const { items } = (await panel.get(path, send)).body
    if (!items?.length) continue
    all.set(`${path}/{sid}`, items[0].id)
    all.set(`${path.replace('sessions', 'passkeys')}/{pid}`, items[0].id)
  }
  return all
}

async function reseller(panel: TestPanel, username: string, acl: Privilege[]): Promise<string> {
  const id = await customer(panel, username)
  await made(panel, '/resellers', { account_id: id, acl })
  return id
}

async function customer(panel: TestPanel, username: string, fields: object = {}): Promise<string> {
  return (await panel.account(username, { password, ...fields })).id
}

const accountObjects = (panel: TestPanel, id: string): Promise<Objects> => input.accountObjects(panel, id)

/** One of each object that belongs to the server or to root, and other callers' sessions. */
const serverObjects = async (panel: TestPanel, rita: string): Promise<Objects> =>
  new Map([
    ...(await input.serverObjects(panel)),
    ['/resellers/{id}', rita],
    ['/auth/sessions/{sid}', unknown],
    ['/user/auth/sessions/{sid}', unknown],
    ['/auth/passkeys/{pid}', unknown],
    ['/user/auth/passkeys/{pid}', unknown],
  ])

async function tokenOf(panel: TestPanel, send: Send, scopes: string[]): Promise<string> {
  return (await made(panel, '/tokens', { name: 'of a reseller', scopes }, send)).secret
}

/** What a signed-in browser sends. */
export async function signedIn(panel: TestPanel, username: string, where: 'admin' | 'user'): Promise<Send> {
  const browser = new Browser(panel, home)
  const reply = await browser.signIn(username, password, where)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return sentBy(browser)
}

const sentBy = ({ cookies, csrf }: Browser): Send => ({
  from: home,
  headers: {
    Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    ...(csrf === undefined ? {} : { 'X-CSRF-Token': csrf }),
  },
})

async function actingAs(panel: TestPanel, account: string): Promise<Send> {
  const { url } = (await panel.post(`/accounts/${account}/login-as`)).body
  const browser = new Browser(panel, home)
  await browser.get(url)
  await browser.get('/user/auth/session')
  return sentBy(browser)
}

/** A sign-in with the right password, waiting for its code. */
async function waiting(panel: TestPanel): Promise<Send> {
  const { generateSync } = await import('otplib')
  await customer(panel, 'faye')
  const browser = new Browser(panel, home)
  await browser.signIn('faye', password)
  const { secret } = (await browser.post('/user/auth/totp/setup')).body
  const code = generateSync({ secret, epoch: Math.floor(panel.clock.now() / 1000) })
  expect((await browser.post('/user/auth/totp/enable', { code })).status).toBe(200)
  const again = new Browser(panel, home)
  expect((await again.signIn('faye', password)).body.mfa_required).toBe(true)
  return sentBy(again)
}

/** A passkey for each session, with its id: whoever has one signs in with it, so they come after all sign-ins. */
export const addPasskeys = ({ store }: TestPanel): Promise<void> =>
  store.change(() => {
    store.db.run(`INSERT INTO passkeys
      SELECT id, principal_id, 'host.example', id, '', 0, '[]', 'Laptop', 0, created_at, NULL FROM sessions`)
  })

export const deletePasskeys = ({ store }: TestPanel): Promise<void> =>
  store.change(() => {
    store.db.delete(passkeys).run()
  })

/** Gives rita exactly the privilege an operation needs, or every other one. */
export async function setAcl({ panel, rita }: Cast, op: Declaration, able: boolean): Promise<void> {
  const needed = privilegeOf(expected.get(op.id)!)
  const acl = able
    ? privilegeNames.filter((name) => name === needed)
    : privilegeNames.filter((name) => name !== needed && name !== 'all')
  const { db } = panel.store
  await panel.store.change(() => {
    db.update(resellers).set({ acl }).where(eq(resellers.account_id, rita)).run()
  })
}

const privilegeOf = (rule: Rule): string | undefined =>
  typeof rule === 'object' && 'reseller' in rule ? rule.reseller : undefined
