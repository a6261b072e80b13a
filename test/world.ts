import { sql } from 'drizzle-orm'
import { resellers } from '../src/areas/resellers/tables.ts'
import { hashSecret, newSecret, prefixOf } from '../src/areas/tokens/secret.ts'
import { tokens } from '../src/areas/tokens/tables.ts'
import type { Privilege } from '../src/contract/common.ts'
import { type Declaration, pathChoices } from '../src/contract/operation.ts'
import { settingOf } from '../src/runtime/settings/settings.ts'
import { accountObjects, serverObjects } from './fixtures/index.ts'
import type { Json, Send, TestPanel } from './harness.ts'

/** A valid ULID of nothing. */
export const unknown = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

/** The token of a reseller that has exactly these privileges, created as by its session. */
export async function resellerToken(
  panel: TestPanel,
  id: string,
  acl: Privilege[],
  scopes = ['full-access'],
): Promise<string> {
  const secret = newSecret()
  const { db } = panel.store
  await panel.store.change(() => {
    db.insert(resellers)
      .values({ account_id: id, acl, nameservers: [], created_at: 0, updated_at: 0 })
      .onConflictDoUpdate({ target: resellers.account_id, set: { acl } })
      .run()
    db.insert(tokens)
      .values({
        id: panel.panel.runtime.id(),
        kind: 'admin',
        principal_type: 'reseller',
        principal_id: id,
        account_id: null,
        name: 'of a reseller',
        prefix: prefixOf(secret),
        hash: hashSecret(secret),
        scopes,
        allowed_ips: [],
        created_at: panel.clock.now(),
      })
      .run()
  })
  return secret
}

/** One of each object that a path can name, by its path parameter. */
export interface World {
  readonly alice: Json
  readonly bob: Json
  readonly ids: ReadonlyMap<string, string>
  readonly secrets: {
    /** Account tokens of alice. */
    readonly own: string
    readonly ownReading: string
    /** An account token of bob. */
    readonly other: string
    /** An admin token of a reseller that owns neither and has every privilege. */
    readonly reseller: string
    readonly reading: string
  }
  /** What a browser signed in as alice sends. */
  readonly signedIn: Record<string, string>
}

const password = 'correct horse battery'

export async function makeWorld(panel: TestPanel): Promise<World> {
  const alice = await panel.account('alice', { password })
  const bob = await panel.account('bob')
  const rita = await panel.account('rita', { make_reseller: true })
  const own = await panel.token(['full-access'], { account: alice.id })
  const ids = new Map([
    ...(await serverObjects(panel)),
    ...(await accountObjects(panel, alice.id)),
    ['/resellers/{id}', (await panel.account('rolf', { make_reseller: true })).id],
  ])
  const secrets = {
    own,
    ownReading: await panel.token(['read-only'], { account: alice.id }),
    other: await panel.token(['full-access'], { account: bob.id }),
    reseller: await resellerToken(panel, rita.id, ['all']),
    reading: await panel.token(['read-only']),
  }
  const signedIn = await signIn(panel, 'alice', password)
  const [session] = (await panel.get('/user/auth/sessions', { headers: signedIn, from: '192.0.2.1' })).body.items
  ids.set('/user/auth/sessions/{sid}', session.id)
  return { alice, bob, ids, secrets, signedIn }
}

/** A passkey of alice's and one of root's. Whoever has one signs in with it: no test may sign in afterwards. */
export async function addPasskeys({ store }: TestPanel, { ids, alice }: World): Promise<void> {
  const all = ids as Map<string, string>
  const root = settingOf(store, 'root_id')
  for (const [path, owner] of [
    ['/auth/passkeys/{pid}', root],
    ['/user/auth/passkeys/{pid}', alice.id],
  ]) {
    all.set(path!, owner!)
    await store.change(() => {
      store.db.run(sql`INSERT INTO passkeys
        VALUES (${owner}, ${owner}, 'host.example', ${owner}, '', 0, '[]', 'Laptop', 0, 1, NULL)`)
    })
  }
}

/** Signs in to the customer's panel; returns the headers of the session. */
export async function signIn(panel: TestPanel, username: string, secret: string): Promise<Record<string, string>> {
  const reply = await panel.post('/user/auth/login', { username, password: secret }, { from: '192.0.2.1' })
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
  const cookie = reply.headers.get('set-cookie')!.split(';')[0]!
  return { Cookie: cookie, 'X-CSRF-Token': reply.body.csrf_token }
}

/** As an allowed caller: none if public, a customer in its panel, otherwise root over the socket. */
export function allowed(world: World, op: Declaration, options: Send = {}): Send {
  if (op.allow === 'anyone') return { from: '192.0.2.1', ...options }
  if (op.panel !== 'user') return options
  return { from: '192.0.2.1', ...options, headers: { ...world.signedIn, ...options.headers } }
}

/** The operation's path with these ids, in its own order. */
export const pathWith = (op: Declaration, ids: readonly string[]): string => {
  let next = 0
  return op.path.replace(/\{\w+\}/g, () => ids[next++] ?? unknown)
}

/** The path to existing objects, or undefined if this world lacks one of them. */
export function pathIn(world: World, op: Declaration): string | undefined {
  const ids: (string | undefined)[] = []
  for (const { index, 1: name = '' } of op.path.matchAll(/\{(\w+)\}/g)) {
    const end = op.path.indexOf('}', index) + 1
    ids.push(pathChoices(op, name)?.[0] ?? world.ids.get(op.path.slice(0, end)))
  }
  return ids.includes(undefined) ? undefined : pathWith(op, ids as string[])
}

/** Whether its path has an id: words of a list, such as a template's kind, have no owner. */
export const namesObject = (op: Declaration): boolean =>
  [...op.path.matchAll(/\{(\w+)\}/g)].some(([, name]) => pathChoices(op, name!) === undefined)
