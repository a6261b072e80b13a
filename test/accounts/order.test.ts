import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { type HostDriver, HostError } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { PausedDriver } from '../drivers.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'

/** The newest order that the host received for an account: epoch and generation. */
const orderOn = ({ dir }: TestPanel, id: string): string =>
  readFileSync(join(dir, 'host/var/lib/panel-host/generations', id), 'utf8').trim()

const vhost = ({ dir }: TestPanel, domain: string): string =>
  readFileSync(join(dir, `host/etc/panel/nginx/sites/${domain}.conf`), 'utf8')

const copyOf = ({ store }: TestPanel): Buffer => store.sqlite.serialize()

/** Restarts the panel on an earlier store, as after a restore; in another epoch if one is given. */
async function putBack(panel: TestPanel, copy: Buffer, epoch?: number): Promise<void> {
  await panel.panel.stop()
  panel.store.close()
  const file = join(panel.dir, 'panel.db')
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  writeFileSync(file, copy)
  if (epoch !== undefined) {
    const sqlite = new Database(file)
    sqlite.prepare("INSERT OR REPLACE INTO settings VALUES ('epoch', ?)").run(String(epoch))
    sqlite.close()
  }
  await panel.start()
}

/** Jobs and event types of a panel, in order. */
function all({ store }: TestPanel): { jobs: string[]; events: string[] } {
  const read = (sql: string) => store.sqlite.prepare(sql).pluck().all() as string[]
  return {
    jobs: read("SELECT kind || ' ' || status FROM jobs ORDER BY id"),
    events: read('SELECT type FROM events ORDER BY seq'),
  }
}

/** What a panel has now and had not before. */
function since(panel: TestPanel, before: ReturnType<typeof all>): ReturnType<typeof all> {
  const { jobs, events } = all(panel)
  return { jobs: jobs.slice(before.jobs.length), events: events.slice(before.events.length) }
}

const logOf = async (panel: TestPanel, kind: string): Promise<string[]> => {
  const { items } = (await panel.get(`/jobs?kind=${kind}`)).body
  return (await panel.get(`/jobs/${items.at(-1).id}`)).body.log.map((line: Json) => line.message)
}

describe('generation of an account', () => {
  test('rises with each change of the desired state, and is sent with it', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const bob = await panel.account('bob')
    expect(orderOn(panel, alice.id)).toBe('1 1')
    await panel.post(`/accounts/${alice.id}/suspend`, {})
    await panel.settle()
    expect(orderOn(panel, alice.id)).toBe('1 2')
    await panel.patch(`/accounts/${alice.id}`, { contact_email: 'alice@elsewhere.example' })
    await panel.settle()
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    await panel.settle()
    expect([orderOn(panel, alice.id), orderOn(panel, bob.id)]).toEqual(['1 4', '1 1'])
  })

  test('rises with a change that a queued job absorbs', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    for (const name of ['one', 'two', 'three'])
      await panel.patch(`/accounts/${account.id}`, { contact_email: `${name}@elsewhere.example` })
    driver?.release()
    await panel.settle()
    expect(panel.jobs()).toEqual(['account.create succeeded', 'account.update succeeded'])
    expect(orderOn(panel, account.id)).toBe('1 4')
  })
})

describe('restored store', () => {
  test("does not undo the host's state without a new epoch: its jobs succeed and say why", async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const [before, had] = [copyOf(panel), all(panel)]
    for (const change of ['suspend', 'unsuspend', 'suspend']) await panel.post(`/accounts/${alice.id}/${change}`, {})
    await panel.settle()
    const suspended = vhost(panel, 'alice.example')
    await putBack(panel, before)
    await panel.patch(`/accounts/${alice.id}`, { contact_email: 'alice@elsewhere.example' })
    await panel.settle()
    expect(since(panel, had)).toEqual({ jobs: ['account.update succeeded'], events: ['job.completed'] })
    expect(await logOf(panel, 'account.update')).toEqual([
      'The host already has a newer state of this account; nothing was changed.',
    ])
    expect([vhost(panel, 'alice.example'), orderOn(panel, alice.id)]).toEqual([suspended, '1 4'])
  })

  test('applies every account once with a new epoch, and not again at the next start', async () => {
    const panel = await startPanel()
    const [alice, bob] = [await panel.account('alice'), await panel.account('bob')]
    const active = vhost(panel, 'alice.example')
    const [before, had] = [copyOf(panel), all(panel)]
    for (const change of ['suspend', 'unsuspend', 'suspend']) await panel.post(`/accounts/${alice.id}/${change}`, {})
    await panel.settle()
    expect(vhost(panel, 'alice.example')).not.toBe(active)
    await putBack(panel, before, 2)
    await panel.settle()
    expect(since(panel, had)).toEqual({ jobs: ['host.apply succeeded'], events: ['job.completed'] })
    expect(await logOf(panel, 'host.apply')).toEqual([
      'alice: /etc/panel/users.d/alice: changed',
      'alice: /etc/panel/php/8.4-e3b0c44298fc-alice.conf: missing',
      'alice: /etc/systemd/system/panel-php-8.4-e3b0c44298fc-alice.service: missing',
      'alice: /etc/systemd/system/panel-php-8.4-e3b0c44298fc-alice.socket: missing',
      'alice: /var/lib/panel-php/alice: missing',
      'alice: /etc/panel/nginx/sites/alice.example.conf: changed',
      'alice: /etc/panel/ftp/passwd.d/alice: missing, its content may be secret and is not shown',
      'alice: /etc/panel/mail/nosubmit.d/alice: surplus',
      '2 accounts on the host match the store',
    ])
    expect([alice, bob].map(({ id }) => orderOn(panel, id))).toEqual(['2 1', '2 1'])
    expect(vhost(panel, 'alice.example')).toBe(active)
    await panel.restart()
    await panel.settle()
    expect(since(panel, had).jobs).toEqual(['host.apply succeeded'])
  })

  test('retries an account that could not be applied, after the others', async () => {
    let refused = 'alice'
    const driver = (root: string): HostDriver => {
      const real = createDirectoryDriver({ root })
      const { apply } = real
      real.apply = (state, options) =>
        state.accounts[0]?.username === refused
          ? Promise.reject(new HostError('install', 'The disk of the host is full.'))
          : apply.call(real, state, options)
      return real
    }
    refused = ''
    const panel = await startPanel({ driver })
    const [, bob] = [await panel.account('alice'), await panel.account('bob')]
    const [before, had] = [copyOf(panel), all(panel)]
    refused = 'alice'
    await putBack(panel, before, 2)
    await panel.settle()
    expect(since(panel, had)).toEqual({ jobs: ['host.apply queued'], events: [] })
    expect(await logOf(panel, 'host.apply')).toEqual([
      'alice: The disk of the host is full.',
      '1 of 2 accounts could not be updated on the host; the log names them.',
    ])
    expect(orderOn(panel, bob.id)).toBe('2 1')
    refused = ''
    await panel.clock.advance(1000)
    await panel.settle()
    expect(since(panel, had)).toEqual({ jobs: ['host.apply succeeded'], events: ['job.completed'] })
  })

  test('sweeps once however often it starts during the sweep, and leaves terminating accounts to their jobs', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    driver?.release()
    const alice = await panel.account('alice')
    const [before, had] = [copyOf(panel), all(panel)]
    await putBack(panel, before, 2)
    await panel.restart()
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    driver?.release()
    await panel.settle()
    expect(since(panel, had)).toEqual({
      jobs: ['host.apply succeeded', 'account.terminate succeeded'],
      events: ['account.terminated', 'job.completed', 'job.completed'],
    })
    expect(orderOn(panel, alice.id)).toBe('2 2')
  })
})
