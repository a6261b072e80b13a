import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { problemsOf } from '../../bench/nodes/chaos/check.ts'
import { Follower } from '../../bench/nodes/chaos/feed.ts'
import { Load } from '../../bench/nodes/chaos/load.ts'
import { Random } from '../../bench/nodes/random.ts'
import { until, World } from '../../bench/nodes/world.ts'
import { manifestFolder } from '../../src/host/install/manifest.ts'
import { ensureServerBuilt } from '../cli/run.ts'

const expected = 8

/** A panel with a node, and changed accounts on both. */
async function changed() {
  ensureServerBuilt()
  const world = new World()
  onTestFinished(() => world.close())
  await world.open(1)
  const follower = new Follower(world)
  const load = new Load(world, new Random(7), { accounts: expected, rate: 100 })
  const running = load.run()
  await until(async () => load.accounts.length === expected && load.acknowledged > 40)
  load.end()
  await running
  await until(async () => (await world.sure('GET', '/jobs?status=queued')).total === 0)
  await until(async () => (await world.sure('GET', '/jobs?status=running')).total === 0)
  await follower.end()
  const problems = () => problemsOf(world, { accounts: load.accounts, follower })
  return { world, load, follower, problems }
}

type Changed = Awaited<ReturnType<typeof changed>>

/** What a faulty panel would have done, by hand. */
function inStore({ world }: Changed, statement: string, ...values: unknown[]): void {
  const sqlite = new Database(join(world.data, 'panel.db'))
  sqlite.prepare(statement).run(...values)
  sqlite.close()
}

test('the chaos checker of nodes passes an intact world, and detects each planted fault', {
  timeout: 60_000,
}, async () => {
  const all = await changed()
  const { world, load, follower, problems } = all
  expect(await problems()).toEqual([])
  const root = world.roots.get('n1')!
  const current = (await world.all('/accounts')).filter(({ node }) => node === 'n1')
  const [one, other, third] = current as [{ id: string; username: string; uid: number }, ...typeof current]

  mkdirSync(join(root, 'home/u999'))
  expect(await problems()).toEqual(['u999: a home on n1, unasked'])
  rmSync(join(root, 'home/u999'), { recursive: true })

  const manifest = join(root, manifestFolder, `${one.id}.json`)
  const written = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, written.replace(`"uid":${one.uid}`, `"uid":${other.uid}`))
  expect(await problems()).toEqual(
    expect.arrayContaining([
      expect.stringContaining(`uid ${other.uid} is another's on n1 too`),
      `${one.username}: uid ${one.uid}, on n1 it is ${other.uid}`,
    ]),
  )
  writeFileSync(manifest, written)

  const zones = join(world.roots.get('local')!, 'etc/bind/panel/zones')
  const zone = readdirSync(zones)[0]!
  const served = readFileSync(join(zones, zone), 'utf8')
  rmSync(join(zones, zone))
  expect(await problems()).toContainEqual(
    expect.stringMatching(`zone ${zone.slice(0, -5)}: serial \\d+, on local none`),
  )
  writeFileSync(join(zones, zone), served)
  expect(await problems()).toEqual([])

  const lost = follower.seen.findIndex(({ type }) => type === 'account.suspended')
  const [gone] = follower.seen.splice(lost, 1)
  expect(await problems()).toContainEqual(expect.stringMatching(/^the feed was \d+ /))
  follower.seen.splice(lost, 0, gone)

  const known = load.accounts.find(({ id }) => id === third.id)!
  known.learn('contact_email', 'lost@u.example', { status: 202, body: { job_id: 'lost' } })
  const sentence = `${known.username}: contact_email is ${third.contact_email}, acknowledged was lost@u.example`
  expect(await problems()).toEqual([sentence, `${known.username}: job lost is lost`])
  known.jobs.delete('lost')
  known.learn('contact_email', third.contact_email, { status: 202, body: {} })

  inStore(all, "UPDATE jobs SET status = 'failed', error = 'planted' WHERE id = (SELECT max(id) FROM jobs)")
  // The server briefly reads a snapshot of the store, whatever others write.
  await expect.poll(problems).toEqual([expect.stringContaining('is failed: planted')])
})
