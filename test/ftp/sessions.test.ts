import { expect, test } from 'vitest'
import type { FtpSession, HostDriver } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { second } from '../nodes/second.ts'
import { ftpOf, nothing, occurred, withAlice } from './fixtures.ts'

const minute = 60_000

/** A host whose FTP server has the sessions of the test. */
function serving(debian = true) {
  const open: FtpSession[] = []
  const requests = { times: 0, fails: false }
  const driver = (root: string): HostDriver => {
    const inner = createDirectoryDriver({ root })
    inner.ftpSessions = async () => {
      requests.times++
      if (requests.fails) throw new Error('no list')
      return { items: open }
    }
    return inner
  }
  return { open, requests, options: { driver, debian } }
}

const session = (login: string, more: Partial<FtpSession> = {}): FtpSession => ({
  login,
  address: '192.0.2.9',
  protocol: 'sftp',
  since: 2_000,
  ...more,
})

test("sessions are an account's own, as of the last minute, the oldest first", async () => {
  const { open, options } = serving()
  const { panel, path, login } = await withAlice(options)
  const bob = await panel.account('bob')
  const bobs = ftpOf(panel, bob.id)
  await login('deploy@alice.example')
  await bobs.login('web@bob.example')
  const sessions = async (at: string) => (await panel.get(`${at}/sessions`)).body
  open.push(session('deploy@alice.example'), session('web@bob.example', { protocol: 'ftp' }))
  open.push(session('deploy@alice.example', { protocol: 'ftps', address: '2001:db8::9', since: 1_000 }))
  open.push(session('elsewhere@else.example'))
  expect(await sessions(path)).toEqual({ items: [] })
  panel.forget()
  await panel.clock.advance(minute)
  const later = { login: 'deploy@alice.example', address: '192.0.2.9', protocol: 'sftp', since_at: 2_000 }
  const first = { login: 'deploy@alice.example', address: '2001:db8::9', protocol: 'ftps', since_at: 1_000 }
  await expect.poll(() => sessions(path)).toEqual({ items: [first, later] })
  expect((await sessions(bobs.path)).items).toMatchObject([{ login: 'web@bob.example', protocol: 'ftp' }])
  expect(await occurred(panel)).toEqual(nothing)
  open.length = 0
  await panel.clock.advance(minute)
  await expect.poll(() => sessions(path)).toEqual({ items: [] })
})

test('a list that is unavailable is shown as none, and requested again', async () => {
  const { open, requests, options } = serving()
  const { panel, path, login } = await withAlice(options)
  await login('deploy@alice.example')
  open.push(session('deploy@alice.example'))
  const total = async () => (await panel.get(`${path}/sessions`)).body.items.length
  for (const [fails, expected] of [
    [false, 1],
    [true, 0],
    [false, 1],
  ] as const) {
    requests.fails = fails
    await panel.clock.advance(minute)
    await expect.poll(total).toBe(expected)
  }
})

test('a host without a server, or without logins, is not asked', async () => {
  const [directory, machine] = [serving(false), serving()]
  const current = await withAlice(directory.options)
  await current.login('deploy@alice.example')
  const there = await withAlice(machine.options)
  for (const { panel } of [current, there]) await panel.clock.advance(5 * minute)
  expect([directory.requests.times, machine.requests.times]).toEqual([0, 0])
  expect((await there.panel.get(`${there.path}/sessions`)).body).toEqual({ items: [] })
})

test("a node's sessions count for its own accounts only, and one that fails blocks no other", async () => {
  const [local, remote] = [serving(), serving()]
  const { panel, path, login } = await withAlice(local.options)
  await second(panel, { name: 'web2', ...remote.options })
  const bob = await panel.account('bob', { node: 'web2' })
  const bobs = ftpOf(panel, bob.id)
  await login('deploy@alice.example')
  await bobs.login('web@bob.example')
  const logins = async () => {
    const bodies = await Promise.all([path, bobs.path].map((at) => panel.get(`${at}/sessions`)))
    return bodies.map(({ body }) => body.items.map(({ address }: FtpSession) => address))
  }
  for (const { open } of [local, remote]) {
    const address = open === local.open ? '192.0.2.1' : '192.0.2.2'
    open.push(session('deploy@alice.example', { address }), session('web@bob.example', { address }))
  }
  await panel.clock.advance(minute)
  await expect.poll(logins).toEqual([['192.0.2.1'], ['192.0.2.2']])
  remote.requests.fails = true
  await panel.clock.advance(minute)
  await expect.poll(logins).toEqual([['192.0.2.1'], []])
})
