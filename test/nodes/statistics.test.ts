import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FileError, type HostDriver } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import type { Json, TestPanel } from '../harness.ts'
import { startPanel } from '../harness.ts'
import { counted, visit } from '../logs/lines.ts'
import { soon } from '../wait-for.ts'
import { find, lose, second } from './second.ts'

const now = Date.UTC(2026, 0, 15, 12)
const web = (user: string, sent: number): string =>
  `${(now / 1000).toFixed(3)}\t${user}\t${user}.example\t200\t0\t${sent}\n`

/** Sites on two nodes, the other node's first. */
async function twoNodes(driver?: (root: string) => HostDriver) {
  const panel = await startPanel()
  const { root, host } = await second(panel, { name: 'web2', ...(driver && { driver }) })
  const bob = await panel.account('bob', { node: 'web2' })
  const alice = await panel.account('alice', { node: 'local' })
  const at = { local: join(panel.dir, 'host/var/log/panel'), web2: join(root, 'var/log/panel') }
  const visited = (node: 'local' | 'web2', user: string) =>
    appendFileSync(join(at[node], user, `${user}.example.access.log`), visit({ at: now }))
  return { panel, host, bob, alice, at, visited }
}

async function requestsOf(panel: TestPanel, { id, main_domain }: Json): Promise<number> {
  const { items } = (await panel.get(`/accounts/${id}/domains`)).body
  const domain = items.find(({ name }: Json) => name === main_domain).id
  const { body } = await panel.get(`/accounts/${id}/logs/visitors?domain_id=${domain}`)
  return body.items.reduce((sum: number, { requests }: Json) => sum + requests, 0)
}

const trafficOf = async (panel: TestPanel, { id }: Json): Promise<number> =>
  (await panel.get(`/accounts/${id}/bandwidth`)).body.total.all

test('a node that is down or reports fewer sites neither blocks counting others nor the end of the day', async () => {
  const { panel, host, bob, alice, at, visited } = await twoNodes()
  visited('web2', 'bob')
  visited('local', 'alice')
  lose(panel, 'web2')
  await counted(panel)
  expect([await requestsOf(panel, bob), await requestsOf(panel, alice)]).toEqual([0, 1])
  await counted(panel, 13 * 3_600_000)
  expect(readdirSync(join(at.local, 'alice'))).toContain('alice.example.access.log-20260115')
  const visits = vi.spyOn(host, 'visits').mockResolvedValue([])
  find(panel, 'web2', host)
  await counted(panel)
  expect(await requestsOf(panel, bob)).toBe(0)
  visits.mockRestore()
  await counted(panel)
  expect([await requestsOf(panel, bob), await requestsOf(panel, alice)]).toEqual([1, 1])
})

test('traffic is counted on each node, once, and for its own accounts only', async () => {
  const { panel, host, bob, alice, at } = await twoNodes()
  appendFileSync(join(at.web2, 'bandwidth.log'), web('bob', 100) + web('alice', 7))
  appendFileSync(join(at.local, 'bandwidth.log'), web('alice', 30) + web('bob', 9))
  await counted(panel)
  await counted(panel)
  expect([await trafficOf(panel, bob), await trafficOf(panel, alice)]).toEqual([100, 30])
  lose(panel, 'web2')
  appendFileSync(join(at.web2, 'bandwidth.log'), web('bob', 1))
  appendFileSync(join(at.local, 'bandwidth.log'), web('alice', 1))
  await counted(panel)
  expect([await trafficOf(panel, bob), await trafficOf(panel, alice)]).toEqual([100, 31])
  find(panel, 'web2', host)
  await counted(panel)
  expect([await trafficOf(panel, bob), await trafficOf(panel, alice)]).toEqual([101, 31])
})

test('requests to all nodes continue without one that fails, and old logs are deleted on each', async () => {
  let driver!: HostDriver
  const { panel, at, visited } = await twoNodes((root) => (driver = createDirectoryDriver({ root })))
  visited('web2', 'bob')
  await counted(panel, 13 * 3_600_000)
  expect(readdirSync(join(at.web2, 'bob'))).toContain('bob.example.access.log-20260115')
  vi.spyOn(driver, 'hostTrash').mockRejectedValue(new Error('its disk is broken'))
  expect((await panel.get('/trash')).status).toBe(200)
})

test('a node that always has more log is read a limited number of times in a round', async () => {
  const { panel, host, alice, visited } = await twoNodes()
  visited('local', 'alice')
  let offset = 0
  const next = () => ({ file: '1', offset: ++offset })
  const visits = vi.spyOn(host, 'visits').mockImplementation(async () => [{ next: next(), more: true, days: [] }])
  const traffic = vi
    .spyOn(host, 'traffic')
    .mockImplementation(async () => ({ next: next(), more: true, transfers: [] }))
  await counted(panel)
  expect([visits.mock.calls.length, traffic.mock.calls.length]).toEqual([250, 3 * 250])
  expect(await requestsOf(panel, alice)).toBe(1)
})

test('a node that claims to have more log, but does not move on, is not read again in that round', async () => {
  const { panel, host } = await twoNodes()
  const next = { file: '0', offset: 0 }
  const visits = vi.spyOn(host, 'visits').mockResolvedValue([{ next, more: true, days: [] }])
  const traffic = vi.spyOn(host, 'traffic').mockResolvedValue({ next, more: true, transfers: [] })
  await counted(panel)
  expect([visits.mock.calls.length, traffic.mock.calls.length]).toEqual([1, 3])
})

const never = () => new Promise<never>(() => {})

test('a node that never answers delays counting on others by at most 5 minutes', async () => {
  const { panel, host, bob, alice, visited } = await twoNodes()
  visited('local', 'alice')
  visited('web2', 'bob')
  const mocks = [vi.spyOn(host, 'visits'), vi.spyOn(host, 'traffic')].map((mock) => mock.mockImplementation(never))
  await panel.clock.advance(15 * 60_000)
  await soon(async () => expect(await requestsOf(panel, alice)).toBe(1))
  await counted(panel, 5 * 60_000)
  expect(panel.logged.filter((line) => line.includes('logs of a node could not be counted'))).toEqual([
    expect.stringContaining('Node web2 did not answer within 300 seconds.'),
  ])
  for (const mock of mocks) mock.mockRestore()
  visited('local', 'alice')
  await counted(panel)
  expect([await requestsOf(panel, alice), await requestsOf(panel, bob)]).toEqual([2, 1])
})

test('a backup destination is checked on each node that has accounts', async () => {
  let driver!: HostDriver
  const { panel } = await twoNodes((root) => (driver = createDirectoryDriver({ root })))
  await second(panel, { name: 'names', roles: ['dns'], driver: refusing })
  const path = join(panel.dir, 'kept')
  mkdirSync(path, { mode: 0o700 })
  const check = vi.spyOn(driver.backups, 'validatePlace').mockRejectedValue(missing)
  const create = () => panel.post('/backup-destinations', { name: 'disk', type: 'local', path })
  const refused = await create()
  expect([refused.status, refused.body.fields]).toEqual([400, { path: 'on node web2: is not there' }])
  check.mockRestore()
  expect((await create()).status).toBe(201)
})

test('a test of a remote destination tells its keys only to nodes whose accounts use it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'panel-restic-'))
  writeFileSync(join(folder, 'restic'), '#!/bin/sh\n[ "$1" = version ] && echo restic 0.18.0\n', { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  const { panel, host, bob } = await twoNodes()
  const tests = vi.spyOn(host, 'testPlace').mockResolvedValue(null)
  const { destination } = (
    await panel.post('/backup-destinations', {
      name: 'offsite',
      type: 's3',
      endpoint: 'https://s3.example',
      bucket: 'backups',
      access_key: 'AKIA1',
      secret_key: 'top',
    })
  ).body
  const run = async () => {
    const { job_id } = (await panel.post(`/backup-destinations/${destination.id}/test`)).body
    await soon(async () => expect((await panel.get(`/jobs/${job_id}`)).body.job.status).toBe('failed'))
    return tests.mock.calls.length
  }
  expect(await run()).toBe(0)
  const schedule = await panel.put(`/accounts/${bob.id}/backups/schedule`, { destination_id: destination.id })
  expect(schedule.status).toBe(200)
  expect(await run()).toBe(1)
  await panel.put(`/accounts/${bob.id}/backups/schedule`, {})
  expect(await run()).toBe(1)
  await panel.patch(`/backup-destinations/${destination.id}`, { default: true })
  expect(await run()).toBe(2)
})

const missing = new FileError('validation', 'path: is not there', 'path')

function refusing(root: string): HostDriver {
  const driver = createDirectoryDriver({ root })
  vi.spyOn(driver.backups, 'validatePlace').mockRejectedValue(missing)
  return driver
}
