import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { HostError } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { hostnameOf } from '../../src/host/nodes/node/serve.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { dial } from '../host/fleet/world.ts'
import { tempDir } from '../host/helpers.ts'
import { created, eventually, joinBy } from './joined.ts'
import { enrolled, find, lose, second } from './second.ts'

const minute = 60_000
const day = 1440 * minute
const crt = 'etc/panel/tls/_server.crt'

const visible = (root: string) => {
  const { subjectAltName = '', validTo } = new X509Certificate(readFileSync(join(root, crt)))
  return { names: subjectAltName.split(', '), ends: Date.parse(validTo) }
}

/** A node on Debian that has its machine's names. */
async function named(over: object = {}) {
  const panel = await startPanel()
  const machine = { hostname: 'web2.example', addresses: ['192.0.2.99'], fingerprint: 'f'.repeat(64) }
  const { root } = await second(panel, { name: 'web2', debian: true, ...machine, ...over })
  panel.forget()
  return { panel, root }
}

async function later(panel: TestPanel, ms: number): Promise<string[]> {
  panel.clock.jump(ms)
  await panel.clock.advance(minute)
  const requests = async () => (await panel.get('/jobs?kind=server.apply&status=queued')).body.total === 0
  await eventually(panel, requests)
  await panel.settle()
  return panel.jobs()
}

test("a node's services use a certificate for its own name, which is renewed", async () => {
  const { panel, root } = await named()
  const ofNameServer = join(root, 'etc/bind/panel/transfer.conf')
  mkdirSync(join(ofNameServer, '..'), { recursive: true })
  writeFileSync(ofNameServer, 'as a secondary has it')
  await panel.clock.advance(minute)
  await eventually(panel, () => existsSync(join(root, crt)))
  await panel.settle()
  expect(readFileSync(ofNameServer, 'utf8')).toBe('as a secondary has it')
  expect([panel.jobs(), panel.events()]).toEqual([['server.apply succeeded'], ['job.completed']])
  const first = visible(root)
  expect(first.names).toEqual(expect.arrayContaining(['DNS:web2.example', 'DNS:webmail.web2.example']))
  const { body } = await panel.get('/host?node=web2')
  expect(body.certificate).toMatchObject({ kind: 'self_signed', not_after: first.ends })
  expect(body.names.map(({ record }: Json) => record)).toContain('web2.example. A 192.0.2.99')
  panel.forget()
  expect(await later(panel, 10 * minute)).toEqual([])
  panel.clock.jump(first.ends - panel.clock.now() - 20 * day)
  await panel.clock.advance(minute)
  await eventually(panel, () => visible(root).ends > first.ends)
  writeFileSync(join(root, crt), 'changed by hand')
  const paths = async () => (await panel.get('/host/diff?node=web2')).body.differences.map(({ path }: Json) => path)
  expect(await paths()).toContain(`/${crt}`)
  expect((await panel.post('/host/apply', { node: 'web2' })).status).toBe(202)
  await panel.settle()
  expect(await paths()).not.toContain(`/${crt}`)
})

test('a node that cannot be updated is retried after an hour', async () => {
  const refused = vi.fn(() => Promise.reject(new HostError('precheck', 'nginx refused it.')))
  const driver = (root: string) => Object.assign(createDirectoryDriver({ root }), { applyServer: refused })
  const { panel } = await named({ driver })
  const requests = async () => (await panel.get('/jobs?kind=server.apply')).body.total
  await panel.clock.advance(minute)
  await eventually(panel, async () => (await requests()) === 1)
  for (let minutes = 0; minutes < 30; minutes++) await later(panel, 0)
  expect(await requests()).toBe(1)
  panel.clock.jump(60 * minute)
  await panel.clock.advance(minute)
  await eventually(panel, async () => (await requests()) === 2)
})

test("a machine whose host name is an account's domain, or not fully qualified, keeps its names", async () => {
  for (const over of [{ hostname: null }, { hostname: 'alice.example' }, { fingerprint: null }]) {
    const { panel, root } = await named(over)
    await panel.account('alice', { node: 'local' })
    panel.forget()
    expect(await later(panel, 0)).toEqual([])
    expect(existsSync(join(root, crt))).toBe(false)
  }
})

test('a machine reports the host name it was set up with', async () => {
  const root = tempDir()
  expect(await hostnameOf(root)).toBeUndefined()
  const output = async (name: string) => {
    writeFileSync(join(root, 'etc/default/panel'), `# Options\nPANEL_HOSTNAME=${name}\nPANEL_SERVE_OPTIONS=\n`)
    return hostnameOf(root)
  }
  mkdirSync(join(root, 'etc/default'), { recursive: true })
  expect([await output('Web2.Example'), await output('web2'), await output('a b')]).toEqual([
    'web2.example',
    undefined,
    undefined,
  ])
  const panel = await startPanel()
  const node = await joinBy(panel, (await created(panel)).join_line)
  await dial({ root: node, clock: panel.clock, hostname: 'web2.example' })
  const hostname = panel.store.sqlite.prepare("SELECT hostname FROM nodes WHERE name = 'web2'").pluck()
  await eventually(panel, () => hostname.get() === 'web2.example')
})

/** A node on Debian that joins and connects. */
async function connecting(panel: TestPanel): Promise<string> {
  const node = await joinBy(panel, (await created(panel)).join_line)
  const root = join(node, 'host')
  const driver = Object.assign(createDirectoryDriver({ root }), { kind: 'debian' })
  await dial({ root: node, clock: panel.clock, hostname: 'web2.example', driver })
  return root
}

test('a node receives its own names when it connects', async () => {
  const panel = await startPanel()
  const root = await connecting(panel)
  // Expires long before the first minute is over.
  await eventually(panel, () => existsSync(join(root, crt)), 10)
  expect(visible(root).names).toContain('DNS:web2.example')
})

test('a node that could not be updated when it connected is updated within a minute', async () => {
  const panel = await startPanel()
  const blocking = join(panel.dir, 'tls/nodes')
  mkdirSync(join(panel.dir, 'tls'), { recursive: true })
  writeFileSync(blocking, '')
  const root = await connecting(panel)
  const failed = () => panel.logged.some((line) => line.includes('could not be told of its own names'))
  await eventually(panel, failed, 10)
  rmSync(blocking)
  await panel.clock.advance(minute)
  await eventually(panel, () => existsSync(join(root, crt)))
})

test('deleting or revoking a node removes its certificate and key, and no other', async () => {
  const panel = await startPanel({ debian: true })
  const machines = { web2: 'f'.repeat(64), web3: 'e'.repeat(64) }
  for (const [name, fingerprint] of Object.entries(machines))
    await second(panel, { name, debian: true, hostname: `${name}.example`, fingerprint })
  const idOf = async (node: string) =>
    (await panel.get('/nodes')).body.items.find(({ name }: Json) => name === node).id as string
  const tls = join(panel.dir, 'tls')
  const [deleted, revoked] = [join(tls, 'nodes', machines.web2), join(tls, 'nodes', machines.web3)]
  const keys = [tls, revoked].map((directory) => join(directory, 'key.pem'))
  await later(panel, 0)
  await eventually(panel, () => [deleted, ...keys].every((path) => existsSync(path)))
  const before = keys.map((key) => readFileSync(key, 'utf8'))
  await later(panel, 60 * minute)
  expect(existsSync(deleted)).toBe(true)

  // One that is down keeps its own.
  lose(panel, 'web3')
  expect((await panel.delete(`/nodes/${await idOf('web2')}?confirm=web2`)).status).toBe(204)
  await later(panel, 60 * minute)
  await eventually(panel, () => !existsSync(deleted))
  expect(keys.map((key) => readFileSync(key, 'utf8'))).toEqual(before)
  expect((await panel.post(`/nodes/${await idOf('web3')}/revoke`, {})).status).toBe(200)
  await later(panel, 60 * minute)
  await eventually(panel, () => !existsSync(revoked))
  expect(readFileSync(keys[0]!, 'utf8')).toBe(before[0])
})

test('a node does not show the certificate error of a deleted one with the same name', async () => {
  const addresses = ['192.0.2.99']
  const of = async (name: string) => (name === 'web2.example' ? addresses : [])
  const panel = await startPanel({
    lookups: { txt: async () => [], ns: async () => [], mx: async () => [], addresses: of },
  })
  const settings = { acme_directory_url: 'http://127.0.0.1:1/directory', autossl_default: false }
  expect((await panel.patch('/settings', settings)).status).toBe(200)
  const machine = { name: 'web2', hostname: 'web2.example', addresses, fingerprint: 'f'.repeat(64) }
  const { host } = await second(panel, { ...machine, debian: true })
  const certificate = async () => (await panel.get('/host?node=web2')).body.certificate
  await panel.clock.advance(minute)
  await eventually(panel, async () => 'error' in (await certificate()), 1000)
  // Another change of the node keeps it.
  const { id } = (await panel.get('/nodes')).body.items.find(({ name }: Json) => name === 'web2')
  expect((await panel.patch(`/nodes/${id}`, { state: 'draining' })).status).toBe(200)
  expect(await certificate()).toHaveProperty('error')

  expect((await panel.delete(`/nodes/${id}?confirm=web2`)).status).toBe(204)
  await enrolled(panel, { ...machine, fingerprint: 'e'.repeat(64) })
  find(panel, 'web2', host)
  expect(await certificate()).toMatchObject({ kind: 'self_signed' })
  expect(await certificate()).not.toHaveProperty('error')
})
