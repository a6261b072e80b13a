import { X509Certificate } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join as path } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { expect, test } from 'vitest'
import { manifestFolder } from '../../src/host/install/manifest.ts'
import { Identity } from '../../src/host/nodes/node/identity.ts'
import { setSetting } from '../../src/runtime/settings/settings.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { arrival, dial, ownOf, raw } from '../host/fleet/world.ts'
import { created, eventually, joinBy, joined, lineOf } from './joined.ts'

const minute = 60_000
const day = 1440 * minute

const failed = (promise: Promise<unknown>): Promise<string> => promise.then(String, (error) => (error as Error).message)
const nodeOf = async (panel: TestPanel, id: string): Promise<Json> => (await panel.get(`/nodes/${id}`)).body
const portIsOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Whether a text occurs in a file below a directory. */
const holds = (folder: string, text: string): boolean =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path(folder, name))
    .filter((file) => statSync(file).isFile())
    .some((file) => readFileSync(file).includes(text))

test('a node is created with a join command, a machine joins with it, and accounts are created on it', async () => {
  const panel = await startPanel()
  const made = await created(panel, { name: 'web2', labels: ['ssd'] })
  expect(made.node).toMatchObject({ name: 'web2', state: 'joining', roles: ['web', 'db', 'mail'], labels: ['ssd'] })
  expect(made.join_expires_at).toBe(panel.clock.now() + 15 * minute)
  expect(lineOf(made.join_line)).toMatchObject({ host: 'host.example', node: made.node.id })
  const root = await joinBy(panel, made.join_line)
  expect(panel.events()).toEqual(['node.joined'])
  expect(await nodeOf(panel, made.node.id)).toMatchObject({
    state: 'down',
    certificate_expires_at: panel.clock.now() + 90 * day,
  })
  await dial({ root, clock: panel.clock })
  await eventually(panel, async () => (await nodeOf(panel, made.node.id)).state === 'active')
  const node = await nodeOf(panel, made.node.id)
  expect(node).toMatchObject({ version: 'test', addresses: ['127.0.0.1'] })
  expect(node.disk_free_mb).toBeGreaterThan(0)
  const reply = await panel.post('/accounts', { username: 'bob', domain: 'bob.example', node: 'web2' })
  await eventually(panel, async () => (await panel.get(`/jobs/${reply.body.job_id}`)).body.job.status === 'succeeded')
  expect(readdirSync(path(root, 'host/home'))).toContain('bob')
})

test('the secret is in no store, log or file, and is valid once, for its own node and for 15 minutes', async () => {
  const panel = await startPanel()
  const { join_line } = await created(panel)
  const { secret } = lineOf(join_line)
  const other = await created(panel, { name: 'web3' })
  await expect(failed(joinBy(panel, join_line, 'x', { node: other.node.id }))).resolves.toMatch(/does not work/)
  await joinBy(panel, join_line)
  expect(await failed(joinBy(panel, join_line))).toBe(
    'This join line does not work: each works once, for one node. Get another with `panel nodes renew-join NAME`.',
  )
  await panel.clock.advance(15 * minute)
  expect(await failed(joinBy(panel, other.join_line, 'web3'))).toBe(
    'This join line has expired: it works for 15 minutes. Get another with `panel nodes renew-join web3`.',
  )
  const again = (await panel.post(`/nodes/${other.node.id}/renew-join`, {})).body
  expect(lineOf(again.join_line).secret).not.toBe(lineOf(other.join_line).secret)
  await joinBy(panel, again.join_line, 'web3')
  expect(panel.events()).toEqual(['node.joined', 'node.joined'])
  const { items } = (await panel.get('/audit?operation=refuseNode')).body
  expect(items.map(({ after }: Json) => [after.name, after.reason.slice(0, 24), after.address])).toEqual([
    ['web3', 'This join line does not ', '127.0.0.1'],
    ['web2', 'This join line does not ', '127.0.0.1'],
    ['web3', 'This join line has expir', '127.0.0.1'],
  ])
  expect(panel.logged.join('\n')).not.toContain(secret)
  expect(holds(panel.dir, secret)).toBe(false)
  expect(holds(panel.dir, lineOf(again.join_line).secret)).toBe(false)
})

test('the listener is open only while there is a second node', async () => {
  const panel = await startPanel()
  const { node, join_line } = await created(panel)
  const { port } = lineOf(join_line)
  expect(await portIsOpen(port)).toBe(true)
  await panel.restart()
  expect(await portIsOpen(port)).toBe(false)
  const now = lineOf((await panel.post(`/nodes/${node.id}/renew-join`, {})).body.join_line).port
  expect(await portIsOpen(now)).toBe(true)
  expect((await panel.post('/nodes', { name: 'web2' })).code).toBe('exists')
  expect(await portIsOpen(now)).toBe(true)
  expect((await panel.send('DELETE', `/nodes/${node.id}?confirm=${node.name}`)).status).toBe(204)
  await eventually(panel, async () => !(await portIsOpen(now)))
})

test('a revoked node is disconnected and refused at once, and may join again', async () => {
  const panel = await startPanel()
  const { id, agent } = await joined(panel)
  const reply = await panel.post(`/nodes/${id}/revoke`, {})
  expect(reply.status).toBe(200)
  expect(reply.body).toMatchObject({
    state: 'down',
    reason: 'Node web2 is down: its certificate was revoked. Let it join again: panel nodes renew-join web2',
  })
  await eventually(panel, async () => agent.output.at(-1) === 'The certificate of node web2 was revoked.')
  expect(await nodeOf(panel, id)).toMatchObject({
    state: 'down',
    reason: 'Node web2 is down: its certificate was revoked. Let it join again: panel nodes renew-join web2',
  })
  const reason = 'The certificate of node web2 was revoked.'
  const refusals = async () => (await panel.get('/audit?operation=refuseNode')).body.items
  await eventually(panel, async () => (await refusals()).length > 0)
  for (let turn = 0; turn < 8; turn++) await panel.clock.advance(5000)
  expect(await refusals()).toMatchObject([{ object_id: id, after: { name: 'web2', reason, address: '127.0.0.1' } }])
  await agent.stop()
  const root = await joinBy(panel, (await panel.post(`/nodes/${id}/renew-join`, {})).body.join_line, 'anew')
  await dial({ root, clock: panel.clock })
  await eventually(panel, async () => (await nodeOf(panel, id)).state === 'active')
  expect(panel.events()).toEqual(['node.joined', 'node.down', 'node.joined', 'node.up'])
})

test('a server that was taken over drops its nodes, and closes the listener', async () => {
  const panel = await startPanel()
  const { id, agent } = await joined(panel)
  const { port } = lineOf((await panel.post(`/nodes/${id}/renew-join`, {})).body.join_line)
  const { leadership, fingerprint } = panel.panel.runtime
  panel.forget()
  const { server } = leadership.claim!
  const epoch = leadership.claim!.epoch + 1
  leadership.hear({ server, epoch, proof: fingerprint('epoch', `${server} ${epoch}`) })
  await eventually(panel, () => /was lost\.$|cannot be reached/.test(agent.output.at(-1)!))
  await eventually(panel, async () => !(await portIsOpen(port)))
  await panel.clock.advance(2 * minute)
  await panel.restart()
  expect(await portIsOpen(port)).toBe(false)
  expect(panel.events()).toEqual([])
})

test('lets the server with the lower life yield of two that took over in the same millisecond', async () => {
  const panel = await startPanel()
  await panel.store.change(() => setSetting(panel.store.db, 'incarnation', '7f'))
  const { leadership, fingerprint } = panel.panel.runtime
  const { server, epoch } = leadership.claim!
  expect(leadership.claim).toMatchObject({ life: '7f' })
  const hear = (life: string, proof = fingerprint('epoch', `${server} ${epoch} ${life}`)) =>
    leadership.hear({ server, epoch, life, proof })
  hear('7e')
  hear('8a', 'made up')
  expect(leadership.lost).toBeUndefined()
  hear('80')
  expect(leadership.lost).toMatch(/^Another server took over from this one /)
  await panel.store.change(() => {})
  await panel.restart()
  expect(panel.panel.runtime.leadership.lost).toMatch(/^Another server took over from this one /)
})

test('a node going down is reported once, and so is its return', async () => {
  const panel = await startPanel()
  const { id, root, agent } = await joined(panel)
  panel.forget()
  await agent.stop()
  await eventually(panel, async () => (await nodeOf(panel, id)).state === 'down')
  await panel.clock.advance(5 * minute)
  expect(panel.events()).toEqual(['node.down'])
  await panel.restart()
  expect((await panel.get('/host?node=web2')).body).toMatchObject({
    driver: 'directory',
    agent: { status: 'unreachable' },
  })
  await panel.clock.advance(2 * minute)
  expect(panel.events()).toEqual([])
  const { port } = lineOf((await panel.post(`/nodes/${id}/renew-join`, {})).body.join_line)
  Identity.read(root)!.learn({ authorities: [], addresses: [`127.0.0.1:${port}`] })
  await dial({ root, clock: panel.clock })
  await eventually(panel, async () => (await nodeOf(panel, id)).state === 'active')
  expect(panel.events()).toEqual(['node.up'])
})

test('a node that reconnects again and again is reported once in ten minutes, and its last state in the end', async () => {
  const panel = await startPanel()
  const { id, root, agent } = await joined(panel)
  panel.forget()
  const isNow = (state: string) => eventually(panel, async () => (await nodeOf(panel, id)).state === state)
  let link = agent
  const lose = async () => {
    await link.stop()
    await isNow('down')
  }
  const regain = async () => {
    link = await dial({ root, clock: panel.clock })
    await isNow('active')
  }
  for (let time = 0; time < 3; time++) {
    await lose()
    await regain()
  }
  expect(panel.events()).toEqual(['node.down', 'node.up'])
  await panel.clock.advance(11 * minute)
  expect(panel.events()).toEqual([])
  await lose()
  await regain()
  await lose()
  expect(panel.events()).toEqual(['node.down', 'node.up'])
  await panel.clock.advance(11 * minute)
  expect(panel.events()).toEqual(['node.down'])
  await regain()
  expect(panel.events()).toEqual(['node.up'])
}, 60_000)

test.each(['active', 'draining'])(
  'a stopping server reports no nodes down, and waits a minute for known ones: %s',
  async (state) => {
    const panel = await startPanel()
    const { id, agent } = await joined(panel)
    expect((await panel.patch(`/nodes/${id}`, { state })).body.state).toBe(state)
    panel.forget()
    await panel.restart()
    expect(panel.events()).toEqual([])
    await agent.stop()
    await panel.clock.advance(minute)
    await eventually(panel, async () => (await nodeOf(panel, id)).state === 'down')
    expect(panel.events()).toEqual(['node.down'])
    expect((await nodeOf(panel, id)).reason).toBe('Node web2 has not connected since the server started.')
  },
)

test('a port that another program uses is retried', async () => {
  const panel = await startPanel()
  await created(panel)
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  panel.nodePort = port
  await panel.restart()
  expect(panel.logged.join('\n')).toContain('the node port could not be opened')
  expect((await panel.post('/nodes', { name: 'web3' })).code).toBe('not-configured')
  await new Promise((resolve) => taken.close(resolve))
  await panel.clock.advance(minute)
  await eventually(panel, () => portIsOpen(port))
})

test('a certificate is renewed at two thirds of its life, and its expiry is announced 14 days before', async () => {
  const panel = await startPanel()
  const { id, agent } = await joined(panel)
  const first = (await nodeOf(panel, id)).certificate_expires_at
  await agent.stop()
  panel.clock.jump(75 * day)
  await panel.clock.advance(60 * minute)
  panel.forget()
  panel.clock.jump(day)
  await panel.clock.advance(60 * minute)
  expect(panel.events()).toEqual(['node.certificate_expiring'])
  await dial({ root: path(panel.dir, 'web2'), clock: panel.clock })
  await eventually(panel, async () => (await nodeOf(panel, id)).certificate_expires_at > first)
  expect((await nodeOf(panel, id)).certificate_expires_at - panel.clock.now()).toBeGreaterThan(89 * day)
})

test('a node whose certificate expired while it was offline says so, and what to do', async () => {
  const panel = await startPanel()
  const { id, root, agent } = await joined(panel)
  const ends = new Date((await nodeOf(panel, id)).certificate_expires_at).toISOString().slice(0, 10)
  await agent.stop()
  await eventually(panel, async () => (await nodeOf(panel, id)).state === 'down')
  panel.clock.jump(91 * day)
  expect(await nodeOf(panel, id)).toMatchObject({
    ...{ state: 'down' },
    reason: `Node web2 is down: its certificate expired on ${ends}. Let it join again: panel nodes renew-join web2`,
  })
  const again = await dial({ root, clock: panel.clock })
  await eventually(panel, () => again.output.length > 0)
  expect(again.output).toEqual([`The certificate of the node expired on ${ends}.`])
})

test('a machine that replaces a node receives its accounts', async () => {
  const panel = await startPanel()
  const { id, agent } = await joined(panel)
  await panel.account('bob', { node: 'web2' })
  await agent.stop()
  await eventually(panel, () => panel.events().includes('node.down'))
  panel.forget()
  const root = await joinBy(panel, (await panel.post(`/nodes/${id}/renew-join`, {})).body.join_line, 'anew')
  expect([panel.events(), panel.jobs()]).toEqual([['node.joined'], ['host.apply queued']])
  await dial({ root, clock: panel.clock })
  await eventually(panel, async () => (await panel.get('/jobs?kind=host.apply&status=succeeded')).body.total === 1)
  expect(readdirSync(path(root, 'host/home'))).toContain('bob')
  expect(panel.events()).toEqual(['node.up', 'job.completed'])
})

/** The issuer of the certificate that the node port presents. */
function issuerOfPort(address: string): Promise<string> {
  const [host, port] = address.split(':')
  const socket = connectSecurely({ host, port: Number(port), rejectUnauthorized: false })
  return new Promise<string>((resolve, reject) => {
    socket.once('error', reject).once('secureConnect', () => resolve(socket.getPeerX509Certificate()!.issuer))
  }).finally(() => socket.destroy())
}

test('the next authority is announced to every node before it is used, and then signs alone', {
  timeout: 60_000,
}, async () => {
  const panel = await startPanel()
  const { id, agent, root } = await joined(panel)
  const [first] = agent.identity.known.authorities
  panel.clock.jump(9 * 365 * day + 3 * day)
  await agent.stop()
  await joinBy(panel, (await panel.post(`/nodes/${id}/renew-join`, {})).body.join_line)
  let node = await dial({ root, clock: panel.clock })
  const known = () => node.identity.known
  const issuer = () => new X509Certificate(known().certificate).issuer
  /** A jump of the clock silently breaks the link: the node reconnects after each. */
  const leapUntil = async (is: () => boolean | Promise<boolean>) => {
    while (!(await is())) {
      await panel.clock.advance(10 * minute)
      await eventually(panel, () => panel.panel.runtime.nodes.why('web2') === undefined)
    }
  }
  const stepTo = async (days: number, is: () => boolean | Promise<boolean>) => {
    await node.stop()
    panel.clock.jump(days * day)
    node = await dial({ root, clock: panel.clock })
    await leapUntil(is)
    await eventually(panel, async () => (await nodeOf(panel, id)).state === 'active')
  }
  await leapUntil(() => known().authorities.length === 2)
  const [, second] = known().authorities
  const former = issuer()
  // After two thirds of its lifetime the first one still signs; then the second one does, and both are trusted.
  const before = known().certificate
  await stepTo(61, () => known().certificate !== before)
  expect(issuer()).toBe(former)
  await stepTo(30, async () => (await issuerOfPort(node.identity.addresses[0]!)) !== former)
  expect(known().authorities.toSorted()).toEqual([first, second].toSorted())
  const { join_line } = await created(panel, { name: 'web3' })
  expect(await joinBy(panel, join_line, 'web3')).toBeTruthy()
  await stepTo(31, () => issuer() !== former)
  await stepTo(60, () => known().authorities.length === 1)
  expect(known().authorities).toEqual([second])
  await stepTo(1, () => panel.panel.runtime.nodes.why('web2') === undefined)
})

test("a node that answers about another node's account is refused, audited and disconnected", async () => {
  const panel = await startPanel()
  const { id, root, agent } = await joined(panel)
  const alice = await panel.account('alice')
  await agent.stop()
  mkdirSync(path(root, 'host', manifestFolder), { recursive: true })
  writeFileSync(path(root, 'host', manifestFolder, `${alice.id}.json`), '{}')
  await dial({ root, clock: panel.clock })
  await eventually(panel, () => panel.panel.runtime.nodes.why('web2') === undefined)
  // A second outage within ten minutes would be reported later.
  await panel.clock.advance(11 * minute)
  panel.forget()
  const reason = `Node web2 answered about the account ${alice.id}, which is not its own.`
  expect(await failed(panel.panel.fleet.driverOf('web2').listAccounts())).toBe('Node web2 is not connected.')
  await eventually(panel, async () => (await panel.get('/audit?operation=refuseNode')).body.total > 0)
  const { items } = (await panel.get('/audit?operation=refuseNode')).body
  expect(items).toMatchObject([{ object_id: id, actor: { type: 'system' }, after: { name: 'web2', reason } }])
  await eventually(panel, () => panel.events().includes('node.down'))
})

test('the free space that a node reports is written whenever it may have changed, but not constantly', async () => {
  const panel = await startPanel()
  const { id, root, agent } = await joined(panel)
  const { addresses } = Identity.read(root)!
  await agent.stop()
  await eventually(panel, () => panel.panel.runtime.nodes.why('web2') !== undefined)
  const peer = await raw(addresses[0]!, ownOf(root))
  const hello = arrival(panel.clock, { node: id })
  peer.say(hello)
  await peer.hear()
  await peer.hear()
  peer.say({ ...hello, type: 'hello' })
  await eventually(panel, () => panel.panel.runtime.nodes.why('web2') === undefined, 0)
  const room = async (): Promise<number> => (await nodeOf(panel, id)).disk_free_mb
  for (const diskFreeMb of [1000, 2000, 3000]) peer.say({ type: 'facts', diskFreeMb })
  await eventually(panel, async () => (await room()) === 1000, 0)
  const written = panel.clock.now()
  const isTaken = async (): Promise<boolean> => {
    peer.say({ type: 'facts', diskFreeMb: 4000 })
    return (await room()) !== 1000
  }
  await eventually(panel, isTaken, 2000)
  expect(await room()).toBe(4000)
  expect(panel.clock.now() - written).toBeGreaterThanOrEqual(10_000)
})

test('nodes created concurrently open one port, which closes with the last of them', async () => {
  const panel = await startPanel()
  const made = await Promise.all(['n1', 'n2', 'n3'].map((name) => created(panel, { name })))
  const { port } = lineOf(made[0]!.join_line)
  expect(made.map(({ join_line }) => lineOf(join_line).port)).toEqual([port, port, port])
  const refused = await Promise.all(['n1', 'n4'].map((name) => panel.post('/nodes', { name })))
  expect(refused.map(({ status }) => status)).toEqual([409, 201])
  const [last, ...others] = [...made.map(({ node }) => node), refused[1]!.body.node]
  for (const { id, name } of others) await panel.delete(`/nodes/${id}?confirm=${name}`)
  expect(await portIsOpen(port)).toBe(true)
  await panel.delete(`/nodes/${last.id}?confirm=${last.name}`)
  await eventually(panel, async () => !(await portIsOpen(port)))
})
