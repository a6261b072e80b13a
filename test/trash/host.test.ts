import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { day, hour } from '../../src/shared/time.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'

let panel: TestPanel
let trash: string
let logs: string

beforeEach(async () => {
  panel = await startPanel()
  trash = join(panel.dir, 'host/home/.panel-trash')
  logs = join(panel.dir, 'host/var/log/panel/.trash')
})

const items = async (): Promise<Json[]> => (await panel.get('/trash')).body.items

async function terminated(username: string): Promise<Json> {
  const account = await panel.account(username)
  writeFileSync(join(panel.dir, `host/home/${username}/tmp/large`), 'x'.repeat(100_000))
  await panel.delete(`/accounts/${account.id}?confirm=${username}`)
  await panel.settle()
  panel.forget()
  return account
}

const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')

/** As if everything had been deleted that long ago. */
function age(days: number): void {
  for (const place of [trash, logs])
    for (const name of readdirSync(place)) {
      const old = name.replace(/\d{8}T\d{6}Z/, stamp(panel.clock.now() - days * day))
      renameSync(join(place, name), join(place, old))
    }
}

test('the home of a terminated account is in the trash, with its logs as one item', async () => {
  mkdirSync(trash, { recursive: true })
  writeFileSync(join(trash, 'note'), 'of the administrator')
  expect(await items()).toEqual([])
  const { id } = await terminated('alice')
  const [item, ...others] = await items()
  expect(others).toEqual([])
  expect(item).toEqual({
    id,
    path: expect.stringMatching(new RegExp(`^${trash}/alice-\\d{8}T\\d{6}Z-${id}$`)),
    size: expect.any(Number),
    deleted_at: expect.any(Number),
  })
  expect(item.size).toBeGreaterThan(100_000)
  expect(existsSync(join(item.path, 'sites'))).toBe(true)
})

test('what is older than configured is deleted for good by a job, and the rest stays', async () => {
  await terminated('alice')
  age(40)
  const bob = await terminated('bob')
  await panel.patch('/settings', { trash_days: 41 })
  await panel.clock.leap(6 * hour)
  await panel.settle()
  expect(panel.jobs()).toEqual([])
  await panel.patch('/settings', { trash_days: 40 })
  mkdirSync(join(trash, 'gone.half/removed'), { recursive: true })
  await panel.clock.leap(6 * hour)
  await soon(async () => {
    await panel.settle()
    expect(await items()).toMatchObject([{ id: bob.id }])
  })
  await panel.settle()
  expect([panel.jobs(), panel.events()]).toEqual([['host.empty_trash succeeded'], ['job.completed']])
  expect([...readdirSync(trash), ...readdirSync(logs)].every((name) => name.includes(bob.id))).toBe(true)
})

test('what accounts deleted themselves is kept equally long', async () => {
  const alice = await panel.account('alice')
  const at = (path: string): string => `/accounts/${alice.id}${path}`
  const headers = { 'Content-Type': 'application/octet-stream' }
  /** The id of something deleted a number of days ago. */
  const deleted = async (days: number): Promise<string> => {
    await panel.send('PUT', at('/files/content?path=tmp/a'), { body: 'a', headers })
    const { id } = (await panel.delete(at('/files?path=tmp/a'))).body.trash_item
    const about = join(panel.dir, 'host/home/alice/.trash', id, 'about.json')
    const received = JSON.parse(readFileSync(about, 'utf8'))
    writeFileSync(about, JSON.stringify({ ...received, deletedAt: panel.clock.now() - days * day }))
    return id
  }
  await deleted(2)
  const stored = await deleted(1)
  await panel.patch('/settings', { trash_days: 2 })
  await panel.clock.leap(6 * hour)
  await soon(async () => expect((await panel.get(at('/trash'))).body.items).toMatchObject([{ id: stored }]))
})

test.each([0, 3651, null, 1.5])('trash_days cannot be %j', async (trash_days) => {
  const { status, body } = await panel.patch('/settings', { trash_days })
  expect([status, Object.keys(body.fields)]).toEqual([400, ['trash_days']])
  expect((await panel.get('/settings')).body.trash_days).toBe(30)
})
