import { eq } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { accounts } from '../../src/areas/accounts/tables.ts'
import { wordpressLinks, wordpressSites } from '../../src/areas/wordpress/tables.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { hour, minute } from '../../src/shared/time.ts'
import { turns } from '../clock.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { counted } from '../logs/lines.ts'
import { soon } from '../wait-for.ts'
import { second } from './second.ts'

/** Accounts on two nodes, of which the other one does as a test says. */
async function twoNodes() {
  const panel = await startPanel()
  const { host } = await second(panel, { name: 'web2' })
  panel.panel.runtime.signals.emit('nodeLinked', 'web2')
  const bob = await panel.account('bob', { node: 'web2' })
  const alice = await panel.account('alice', { node: 'local' })
  await panel.settle()
  return { panel, host, bob, alice }
}

/** A node that answers pings, but never a request. */
const never = (_: unknown, { signal }: { signal?: AbortSignal | undefined } = {}) =>
  new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

/** The statements that were prepared, and the rows that were changed. */
function worked(panel: TestPanel) {
  const { sqlite } = panel.store
  const changes = sqlite.prepare<[], { total: number }>('SELECT total_changes() AS total')
  const before = changes.get()!.total
  const prepared = vi.spyOn(sqlite, 'prepare')
  return () => ({ rows: changes.get()!.total - before, statements: prepared.mock.calls.length })
}

test('what a node says of a backup is kept as far as lists can read it', async () => {
  const { panel, host, bob } = await twoNodes()
  const honest = host.backup.bind(host)
  vi.spyOn(host, 'backup').mockImplementation(async (...words) => {
    const { parts, ...saved } = await honest(...words)
    const warnings = Array.from({ length: 700 }, (_, n) => `${n} ${'x'.repeat(19_990)}`)
    const failed = { part: 'mail', status: 'failed', error: 'y'.repeat(20_000) } as const
    const others = parts.filter(({ part }) => part !== 'mail')
    return { ...saved, parts: [...others.map((part) => ({ ...part, warnings })), failed] }
  })
  const path = `/accounts/${bob.id}/backups`
  await panel.post(path, { parts: ['files', 'mail'] })
  await panel.settle()
  const { items } = (await panel.get(path)).body
  expect(JSON.stringify(items).length).toBeLessThan(80_000)
  const [files, mail] = items[0].parts
  expect(files.warnings.at(-1)).toBe("697 more, in the job's log")
  expect([mail.status, mail.error]).toEqual(['failed', expect.stringMatching(/^y{1,2000}/)])
  expect(mail.error).toHaveLength(2_000)
})

test('file systems that a node names anew each minute are few rows', async () => {
  const panel = await startPanel()
  let looks = 0
  const { host } = await second(panel, { name: 'web2' })
  const about = { cpus: 1, load: 1, memoryMb: 4000, availableMb: 3000, stopped: [], failingDisks: [] }
  vi.spyOn(host, 'condition').mockImplementation(async () => {
    looks++
    const fileSystems = Array.from({ length: 100 }, (_, n) => ({
      ...{ path: `/${looks}/${n}`, usedMb: 1, totalMb: 100 },
      ...{ usedInodes: 1, inodes: 100 },
    }))
    return { ...about, now: panel.clock.now(), fileSystems }
  })
  for (let turn = 1; turn <= 20; turn++) {
    await panel.clock.advance(minute)
    await soon(() => expect(looks).toBe(turn))
    await turns(20)
  }
  const { rows } = panel.store.sqlite.prepare<[], { rows: number }>('SELECT count(*) AS rows FROM disk_samples').get()!
  expect(rows).toBeLessThanOrEqual(200)
})

test('the traffic that a node reports is one row for each account and day, however many it names', async () => {
  const { panel, host, bob } = await twoNodes()
  const today = new Date(panel.clock.now()).toISOString().slice(0, 10)
  const transfer = { day: today, name: 'bob', received: 1, sent: Number.MAX_SAFE_INTEGER }
  vi.spyOn(host, 'traffic').mockImplementation(async ({ log }) => ({
    transfers: log === 'web' ? Array.from({ length: 50_000 }, () => transfer) : [],
    ...{ next: { file: '1', offset: 1 }, more: false },
  }))
  const work = worked(panel)
  await counted(panel)
  expect(work().rows).toBeLessThan(1_000)
  const { total } = (await panel.get(`/accounts/${bob.id}/bandwidth`)).body
  expect([total.web_in, total.web_out]).toEqual([50_000, 2 ** 40])
})

test('sizes of databases that an account does not have cost nothing', async () => {
  const { panel, host, bob } = await twoNodes()
  const databases = Array.from({ length: 10_000 }, (_, n) => ({ name: `other_${n}`, bytes: 1 }))
  vi.spyOn(host, 'usage').mockImplementation(async ({ accounts }) =>
    accounts.map(({ id }) => ({ id, diskMb: 1, inodes: 1, databases })),
  )
  const work = worked(panel)
  await panel.clock.advance(15 * minute)
  const { measured_at } = accounts
  const measuredAt = () => panel.store.db.select({ measured_at }).from(accounts).where(eq(accounts.id, bob.id)).get()
  await soon(() => expect(measuredAt()).toEqual({ measured_at: panel.clock.now() }))
  expect(work().statements).toBeLessThan(2_000)
})

const site = ({ id }: Json, domain_id: string) => ({
  ...{ id: `01ARZ3NDEKTSV4RRFFQ69G5F${id.slice(-2)}`, account_id: id, domain_id, path: '/', core_path: '/' },
  ...{ status: 'active', multisite: false, environment: 'production', plugin_updates: 0, theme_updates: 0 },
  ...{ auto_update: 'off', checked_at: 0, created_at: 0 },
})

test('links that sign in to WordPress are removed on each node, though one never answers', async () => {
  const { panel, host, bob, alice } = await twoNodes()
  const ask = vi.spyOn(host, 'runWordpress').mockImplementation(never)
  const local = panel.panel.fleet.driverOf('local')
  vi.spyOn(local, 'runWordpress').mockResolvedValue({ answer: {} })
  const until = panel.clock.now() + minute
  const linked = async (account: Json, file: string) => {
    const [domain] = (await panel.get(`/accounts/${account.id}/domains`)).body.items
    const row = site(account, domain.id)
    await panel.store.change(() => {
      panel.store.db
        .insert(wordpressSites)
        .values(row as never)
        .run()
      panel.store.db.insert(wordpressLinks).values({ file, site_id: row.id, until }).run()
    })
  }
  await linked(bob, 'panel-sign-in-0000000000000000.php')
  await linked(alice, 'panel-sign-in-ffffffffffffffff.php')
  panel.panel.runtime.signals.emit('wordpressLinkChange')
  await panel.clock.advance(minute)
  await soon(() => expect(ask).toHaveBeenCalled())
  const files = () =>
    panel.store.db
      .select()
      .from(wordpressLinks)
      .all()
      .map(({ file }) => file)
  await soon(() => expect(files()).toEqual(['panel-sign-in-0000000000000000.php']))
  await panel.clock.advance(30_000)
  await soon(() => expect(panel.store.db.select().from(wordpressLinks).all()[0]?.until).toBeGreaterThan(until))
  await panel.clock.advance(2 * minute)
  await soon(() => expect(ask.mock.calls.length).toBeGreaterThan(1))
})

test('sites are checked on each node, though another never answers', async () => {
  const { panel, host, alice } = await twoNodes()
  const verbs: string[] = []
  const files = host.files.bind(host)
  vi.spyOn(host, 'files').mockImplementation(
    (account) =>
      ({
        ...files(account),
        act: (verb: string, _: unknown, { signal }: { signal?: AbortSignal | undefined } = {}) => {
          verbs.push(verb)
          return never(_, { ...(signal && { signal }) })
        },
      }) as never,
  )
  await panel.store.change(() => void panel.store.sqlite.prepare('UPDATE wordpress_scans SET next_at = 0').run())
  await panel.clock.advance(minute)
  await soon(() => expect(verbs).toContain('wordpress'))
  const [domain] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
  const next = () =>
    panel.store.sqlite
      .prepare<[string], { next_at: number }>('SELECT next_at FROM wordpress_scans WHERE domain_id = ?')
      .get(domain.id)?.next_at
  await soon(() => expect(next()).toBeGreaterThan(panel.clock.now()))
})

test('the versions of PHP of each node are read, though another never answers', async () => {
  const panel = await startPanel()
  const driver = (root: string) => createDirectoryDriver({ root })
  const [web2, web3] = [
    (await second(panel, { name: 'web2', driver, debian: true })).host,
    (await second(panel, { name: 'web3', driver, debian: true })).host,
  ]
  vi.spyOn(web2, 'inspect').mockImplementation(never)
  const inspections = vi.spyOn(web3, 'inspect').mockResolvedValue(null)
  await panel.clock.advance(10 * minute)
  await soon(() => expect(inspections).toHaveBeenCalledTimes(1))
  for (let waited = 0; waited < hour; waited += minute) await panel.clock.advance(minute)
  await soon(() => expect(inspections.mock.calls.length).toBeGreaterThan(2))
})

test('old trash is removed on each node, though another never answers', async () => {
  const { panel, host } = await twoNodes()
  const local = panel.panel.fleet.driverOf('local')
  const emptied: string[] = []
  for (const [name, client] of [
    ['web2', host],
    ['local', local],
  ] as const) {
    const files = client.files.bind(client)
    vi.spyOn(client, 'files').mockImplementation((account) =>
      Object.assign(Object.create(files(account)), {
        act: (verb: string, input: unknown, options: { signal?: AbortSignal }) => {
          if (verb === 'emptyTrash') emptied.push(name)
          return name === 'web2' ? never(input, options) : Promise.resolve({ removed: 0 })
        },
      }),
    )
  }
  await panel.clock.leap(6 * hour)
  await soon(() => expect(emptied).toContain('web2'))
  await soon(() => expect(emptied).toContain('local'))
})
