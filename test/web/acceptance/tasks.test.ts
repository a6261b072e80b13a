import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addTraffic, showMonth } from '../../../src/areas/logs/traffic.ts'
import { createDirectoryDriver } from '../../../src/host/driver/file-driver.ts'
import { appsIn, archive } from '../../apps/fixtures.ts'
import { withPrograms } from '../../drivers.ts'
import type { TestPanel } from '../../harness.ts'
import { failing } from '../../notices/fixtures.ts'
import { ended } from '../../ssl/authority.ts'
import { hasPebble, Pebble } from '../../ssl/pebble.ts'
import { type Browser, executablePath } from '../browser/browser.ts'
import { makeVisited } from '../map.ts'
import { password, Visitor } from '../visitor.ts'
import { type Reached, startReached } from './reached.ts'
import { type Named, ofAdmin, ofCustomer, ofReseller, type Task } from './tasks.ts'
import { max, Scripted, Scriptless, type Walker, walk } from './walk.ts'

const homes = { alice: '/user/', rita: '/admin/', root: '/admin/' } as const
const all = { alice: ofCustomer, rita: ofReseller, root: ofAdmin } as const
const names = Object.keys(all) as (keyof typeof all)[]

const hour = 3_600_000

/** Lets certificates be issued, if an authority is available. */
async function trust({ panel }: Reached, pebble: Pebble): Promise<void> {
  const files = join(panel.dir, 'host/var/lib/panel-host/acme')
  pebble.serve = (path) => (existsSync(files + path) ? readFileSync(files + path, 'utf8') : undefined)
  // The authority's certificates use the time of this machine, which passes during the tasks.
  panel.clock.jump(Date.now() + hour - panel.clock.now())
  const settings = { acme_directory_url: pebble.directory, acme_ca: pebble.ca, autossl_default: false }
  expect((await panel.patch('/settings', settings)).status).toBe(200)
}

/** An app with two releases, and an account with files in a backup. */
async function deployTwice({ panel }: Reached, account: string): Promise<Pick<Named, 'archive' | 'files'>> {
  const { app, live } = appsIn(panel, account)
  const { id } = await app('site', 'static')
  for (const text of ['one', 'two']) await live(id, { 'index.html': text })
  const { backup } = (await panel.post(`/accounts/${account}/backups`, { parts: ['files'] })).body
  await panel.settle()
  return { files: backup.id, archive: archive({ 'index.html': 'three' }) }
}

/** A certificate that was not issued. */
async function failToCertify(panel: TestPanel, account: string, domain_id: string): Promise<void> {
  const repair = failing(panel, 'ssl.issue', 'alice.example could not be validated: it answers elsewhere.')
  const { acme_directory_url } = (await panel.get('/settings')).body
  await panel.patch('/settings', { acme_directory_url: acme_directory_url ?? 'https://127.0.0.1:14000/dir' })
  expect((await panel.post(`/accounts/${account}/ssl/issue`, { domain_id })).status).toBe(202)
  await panel.settle()
  repair()
}

const megabyte = 1024 * 1024

/** Accounts at their limits: of traffic, and one of files too. */
async function useMuch({ get, patch, store, clock }: TestPanel): Promise<void> {
  const { items } = (await get('/accounts')).body
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  const amounts = { web_in: 0, web_out: 1001 * megabyte, ftp: 0, mail: 0 }
  for (const { id, username } of items) {
    if (!['bob', 'carol'].includes(username)) continue
    const { used } = (await get(`/accounts/${id}/usage`)).body.inodes
    const limits = { bw_limit_mb: 1000, ...(username === 'bob' && { inodes_limit: used }) }
    expect((await patch(`/accounts/${id}`, limits)).status).toBe(202)
    await store.change(() => {
      addTraffic(store.db, id, day, amounts)
      showMonth(store.db, id, clock.now())
    })
  }
}

/** The delivery of a test event: the newest, as a page shows the last 50. */
async function ping(panel: TestPanel, webhook: string): Promise<string> {
  await panel.post(`/webhooks/${webhook}/test`)
  await panel.settle()
  return (await panel.get(`/webhooks/${webhook}/deliveries?limit=1`)).body.items[0].id
}

/** A reseller with an account of hers, and the objects of the tasks. */
async function prepare(reached: Reached, pebble: Pebble | undefined): Promise<Named> {
  const { panel } = reached
  if (pebble) await trust(reached, pebble)
  const { world } = await makeVisited(panel)
  const id = (path: string): string => world.ids.get(path)!
  const [rita] = (await panel.get('/accounts?q=rita')).body.items
  await panel.post(`/accounts/${rita.id}/password`, { new_password: password })
  await panel.account('carol', { owner_id: rita.id, password })
  const home = join(panel.dir, 'host/home/alice')
  writeFileSync(join(home, 'page.html'), '<h1>')
  execFileSync('tar', ['-czf', join(home, 'packed.tar.gz'), '-C', home, 'page.html'])
  expect((await panel.post('/packages', { name: 'hers' }, { token: world.secrets.reseller })).status).toBe(201)
  writeFileSync(join(panel.dir, 'host/var/log/panel/alice/alice.example.error.log'), 'No such file: index.php\n')
  const listed = (await panel.get('/packages')).body.items
  const made = await deployTwice(reached, world.alice.id)
  await failToCertify(panel, world.alice.id, id('/accounts/{id}/domains/{did}'))
  await useMuch(panel)
  // Scheduled events too, or the first task would report them.
  await ended(panel)
  const webhook = id('/webhooks/{wid}')
  return {
    ...made,
    backup: id('/accounts/{id}/backups/{bid}'),
    record: id('/accounts/{id}/dns/zones/{zid}/records/{rid}'),
    job: id('/jobs/{id}'),
    webhook,
    delivery: await ping(panel, webhook),
    package: listed[0].id,
    domain: id('/accounts/{id}/domains/{did}'),
  }
}

const openProgram = async () => ({ token: 'T'.repeat(43) })
/** A working host: links into phpMyAdmin are opened, and apps run. */
const start = () =>
  startReached({ trustTenants: true, driver: (root) => withPrograms(createDirectoryDriver({ root }), openProgram) })
const startPebble = async () => (hasPebble ? await Pebble.start() : undefined)
const isPossible = ({ what }: Task): boolean => hasPebble || what !== '7 get its certificate'

const sideOf = (name: keyof typeof all): 'user' | 'admin' => (name === 'alice' ? 'user' : 'admin')

/** What went wrong: too many pages on the way, or another result than requested. */
async function errorsOf({ panel }: Reached, walker: Walker, tasks: readonly Task[], home: string): Promise<unknown[]> {
  const onFailPoint: unknown[] = []
  for (const { what, steps, events = [], jobs = [] } of tasks) {
    // Earlier events do not belong to this task.
    await ended(panel)
    const loads = await walk(walker, home, steps).catch((error: Error) => error.message.slice(0, 1_500))
    const occurred = Object.values(await ended(panel))
    if (!(Number(loads) <= max)) onFailPoint.push([what, loads])
    if (JSON.stringify(occurred) !== JSON.stringify([events, jobs])) onFailPoint.push([what, ...occurred])
  }
  return onFailPoint
}

/** As many as a slow machine completes within one test's timeout. */
const few = 6
const chunks = [0, 1, 2, 3, 4]

describe.each(names)('daily tasks of %s', (name) => {
  let reached: Reached
  let pebble: Pebble | undefined
  let tasks: readonly Task[]
  beforeAll(async () => {
    pebble = await startPebble()
    reached = await start()
    tasks = all[name](await prepare(reached, pebble)).filter(isPossible)
  }, 60_000)
  afterAll(async () => {
    await reached.end()
    await pebble?.stop()
  })

  test('takes at most three pages for each task without a script', async () => {
    const visitor = await new Visitor(reached.panel).signIn(name, sideOf(name))
    expect(await errorsOf(reached, new Scriptless(visitor), tasks, homes[name])).toEqual([])
  }, 60_000)
})

describe.skipIf(!executablePath).each(names)('daily tasks of %s in a real browser', (name) => {
  let reached: Reached
  let browser: Browser
  let pebble: Pebble | undefined
  let tasks: readonly Task[]
  beforeAll(async () => {
    pebble = await startPebble()
    reached = await start()
    tasks = all[name](await prepare(reached, pebble)).filter(isPossible)
    browser = await reached.open(name)
    browser.page.setDefaultTimeout(20_000)
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await reached.end()
    await pebble?.stop()
  })

  test.each(chunks)(
    'takes at most three pages for each task in a real browser (%i)',
    async (chunk) => {
      const own = tasks.slice(chunk * few, chunk === chunks.length - 1 ? undefined : (chunk + 1) * few)
      expect(await errorsOf(reached, new Scripted(browser.page), own, homes[name])).toEqual([])
      expect(browser.complaints).toEqual([])
    },
    60_000,
  )
})
