import { createPrivateKey, createPublicKey } from 'node:crypto'
import { appendFileSync, existsSync, lstatSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { dirname, join as path } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newAuthority, nodeCertificate } from '../../../src/areas/nodes/trust/x509.ts'
import { MAX_FRAME_BYTES, MAX_HELLO_BYTES } from '../../../src/host/agent/protocol/frames.ts'
import type { HostClient } from '../../../src/host/contract/client.ts'
import { visible } from '../../../src/host/homes/home/entry.ts'
import { join } from '../../../src/host/nodes/node/join.ts'
import { hello, type Peer } from '../agent/peer.ts'
import { account, idOf, nameOf, server, tempDir } from '../helpers.ts'
import { arrival, dial, fleet, linked, ownOf, raw, secret, type TestFleet, until, webId } from './world.ts'

const otherId = idOf(2)

/** The port's response to the first frame of a connection. */
async function refusal(peer: Peer, frame: object): Promise<unknown> {
  peer.say(frame)
  const answer = await peer.hear()
  return answer?.['type'] === 'refused' ? answer['reason'] : answer
}

const spkiOf = (root: string) =>
  createPublicKey(createPrivateKey(ownOf(root).key)).export({ type: 'spki', format: 'der' })

const traced = {
  n: 1,
  at: 1,
  uid: 20_001,
  direction: 'in',
  from: '',
  to: 'a@web2.example',
  outcome: 'spam',
  answer: '',
}
const wafHit = { n: 4, at: 1, address: '203.0.113.9', path: '/', rule: 941_100, message: 'XSS', action: 'blocked' }
const firewall = { isSetUp: true, services: [], listening: [], foreign: [] }
const banned = {
  ...{ network: '203.0.113.7', service: 'ssh', failures: 10, more: false },
  logins: [{ service: 'ssh', name: 'bob', count: 10 }],
}
const queued = {
  ...{ id: '4jbtcD1XDvzJDKm', from: '', to: ['a@web2.example'], recipients: 1, size: 1 },
  ...{ arrivedAt: 1, reason: '', onHold: false },
}

const failed = (promise: Promise<unknown>): Promise<string> => promise.then(String, (error) => (error as Error).message)

const joining = ({ address, keeper }: TestFleet, over: object = {}) => {
  const root = tempDir()
  return { root, joined: join({ address, node: webId, pin: keeper.pin, secret, root, ...over }) }
}

test('a wrong pin ends the connection before the secret is sent', async () => {
  const world = await fleet()
  world.keeper.expect(webId, 'web2', secret)
  const pin = 'f'.repeat(64)
  const { root, joined } = joining(world, { pin })
  expect(await failed(joined)).toBe(
    `The panel at ${world.address} is not the one that was expected: its public key is ${world.keeper.pin}, not ${pin}. The secret was not sent.`,
  )
  expect(world.keeper.received).toEqual([])
  expect(existsSync(path(root, 'var/lib/panel-host/node'))).toBe(false)
})

test('a secret works once, and only for its own node', async () => {
  const world = await fleet()
  world.keeper.expect(webId, 'web2', secret)
  world.keeper.expect(otherId, 'web3', 'b'.repeat(32))
  expect(await failed(joining(world, { node: otherId }).joined)).toBe('The secret is not valid.')
  expect(await joining(world).joined).toEqual({ name: 'web2' })
  expect(await failed(joining(world).joined)).toBe('The secret is not valid.')
  expect(JSON.stringify(world.logged)).not.toContain(secret)
})

test('a clock more than 5 minutes off is refused, with a sentence on both sides', async () => {
  const { clock, address, keeper, joined } = await fleet()
  const own = ownOf(await joined())
  const late = arrival(clock, { clock: clock.now() - 8 * 60_000 })
  const reason =
    "The clock of node web2 is 8 minutes behind the panel's: set it, for example with `timedatectl set-ntp true`."
  expect(await refusal(await raw(address, own), late)).toBe(reason)
  expect(keeper.received.at(-1)).toBe(`web2 clock: ${reason}`)
  const early = arrival(clock, { purpose: 'join', secret, csr: '', clock: clock.now() + 6 * 60_000 })
  expect(await refusal(await raw(address), early)).toMatch(/^The clock of node web2 is 6 minutes ahead of the panel's/)
  expect(await refusal(await raw(address, own), arrival(clock, { clock: clock.now() - 4 * 60_000 }))).toMatchObject({
    type: 'welcome',
  })
})

test.each([1, '', 'web2', 'a b.example', 'WEB2.example', `${'a.'.repeat(121)}example`])(
  'a node that reports the host name %j is refused',
  async (hostname) => {
    const { clock, address, keeper, joined } = await fleet()
    const own = ownOf(await joined())
    expect(await refusal(await raw(address, own), arrival(clock, { hostname }))).toBeUndefined()
    expect(keeper.links.has('web2')).toBe(false)
    expect(await refusal(await raw(address, own), arrival(clock, { hostname: 'web2.example' }))).toMatchObject({
      type: 'welcome',
    })
  },
)

test.each([
  ['too old', { min: 0, max: 0 }, 'version 0', 'node web2'],
  ['too new', { min: 2, max: 3 }, 'versions 2 to 3', 'the panel'],
])('a node that is %s is incompatible', async (_what, protocol, speaks, update) => {
  const { clock, address, keeper, joined } = await fleet()
  const own = ownOf(await joined())
  const reason = await refusal(await raw(address, own), arrival(clock, { protocol, build: 'old' }))
  expect(reason).toBe(
    `The panel test speaks version 1 of the host protocol and node web2 old ${speaks}: update ${update}.`,
  )
  expect(keeper.received.at(-1)).toBe(`web2 incompatible: ${reason}`)
})

test('a node that is too far apart reports the same sentence', async () => {
  const { clock, keeper, joined } = await fleet()
  const root = await joined()
  const node = await dial({ root, clock, protocol: { min: 3, max: 4 } })
  await until(clock, () => node.output.length > 0)
  const sentence =
    'The panel test speaks version 1 of the host protocol and node web2 test versions 3 to 4: update the panel.'
  expect(node.output).toEqual([sentence])
  expect(keeper.received.at(-1)).toBe(`web2 incompatible: ${sentence}`)
})

test('a node one version apart is accepted', async () => {
  const { clock, address, joined } = await fleet()
  const own = ownOf(await joined())
  for (const protocol of [
    { min: 0, max: 1 },
    { min: 1, max: 2 },
  ])
    expect(await refusal(await raw(address, own), arrival(clock, { protocol }))).toMatchObject({ type: 'welcome' })
})

test('certificates of another node or fleet, missing, expired or revoked ones are refused', async () => {
  const { clock, address, keeper, joined } = await fleet()
  const root = await joined()
  const { key } = ownOf(root)
  const other = ownOf(await joined(otherId, 'web3'))
  const certificate = (now: number, authority = keeper.authority) =>
    nodeCertificate(authority, spkiOf(root), webId, now)
  const day = 86_400_000
  const refused: unknown[] = []
  const ask = async (own: object, over: object = {}) => {
    refused.push(await refusal(await raw(address, own), arrival(clock, over)))
    return refused.at(-1)
  }
  expect(await ask(other)).toBe('The certificate is that of another node.')
  expect(await ask({})).toBe('The node showed no certificate.')
  const strange = await newAuthority(clock.now())
  expect(await ask({ key, cert: await certificate(clock.now(), strange) })).toBe(
    'The certificate of the node was not issued by this fleet.',
  )
  expect(await ask({ key, cert: await certificate(clock.now() - 91 * day) })).toMatch(
    /^The certificate of the node expired on \d{4}-\d\d-\d\d\.$/,
  )
  expect(await ask(await keeper.credentials())).toBe('The certificate is not one of a node.')
  await joined(otherId, 'web3')
  expect(await ask(other, { node: otherId })).toBe('Node web3 has joined again with another key.')
  keeper.revoke(webId)
  expect(await ask(ownOf(root))).toBe('The certificate of node web2 was revoked.')
  expect(await ask(ownOf(root), { purpose: 'bulk', key: '0' })).toBe('The certificate of node web2 was revoked.')
  const received = keeper.received.flatMap((line) => / turned away: (.*)/.exec(line)?.[1] ?? [])
  expect(received).toEqual(refused)
  expect(received).toHaveLength(8)
})

test('revoking closes the link and its streams, and the node is told why it is refused', async () => {
  const { client, keeper, port, node, clock } = await linked()
  await client.apply({ order: { epoch: 1, generation: 1 }, server, account: account() })
  const path = Buffer.from('/large').toString('base64')
  const outbox = await client.files(nameOf(account())).write({ path, maxBytes: 2 ** 30 })
  let sent = 0
  const sending = outbox.send(
    (async function* () {
      for (; sent < 4096; sent++) yield Buffer.alloc(65_536)
    })(),
  )
  await until(clock, () => sent > 4)
  keeper.revoke(webId)
  port.cut(webId, 'The certificate of node web2 was revoked.')
  await sending
  expect(sent).toBeLessThan(4096)
  await until(clock, () => node.output.at(-1) === 'The certificate of node web2 was revoked.', 500)
  expect(keeper.received.filter((line) => line.includes('down'))).toEqual([
    'web2 down: The certificate of node web2 was revoked.',
  ])
  expect(keeper.received.at(-1)).toBe('web2 turned away: The certificate of node web2 was revoked.')
  await outbox.discard().catch(() => {})
})

async function greet(clock: TestFleet['clock'], address: string, own: object): Promise<Peer> {
  const peer = await raw(address, own)
  peer.say(arrival(clock))
  await peer.hear()
  await peer.hear()
  peer.say({ ...arrival(clock), type: 'hello' })
  return peer
}

/** A node that has greeted, and whose frames a test sends. */
async function greeted() {
  const world = await fleet()
  const own = ownOf(await world.joined())
  const peer = await greet(world.clock, world.address, own)
  await until(world.clock, () => world.keeper.links.has('web2'))
  return { ...world, own, peer, client: world.keeper.links.get('web2')!.client }
}

test.each([
  [{ type: 'command', id: 1, node: 'web3', command: 'usage', input: {} }, 'asked for something, which no node may'],
  [{ type: 'answer', id: 77, status: 'done', result: null }, 'answered what it was not asked'],
  [{ type: 'facts', diskFreeMb: -1 }, 'reported an invalid amount of free space'],
])('a node that sends %j is disconnected and audited', async (frame, what) => {
  const { peer, keeper, clock } = await greeted()
  peer.say(frame)
  await until(clock, () => !keeper.links.has('web2'))
  expect(keeper.received.slice(-2)).toEqual([`web2 broke: Node web2 ${what}.`, `web2 down: Node web2 ${what}.`])
})

test('a node that sends far more than asked for is disconnected, but not one of a newer version', async () => {
  const { peer, keeper, clock } = await greeted()
  const say = async (frames: number, diskFreeMb: number): Promise<void> => {
    for (let output = 1; output < frames; output++) peer.say({ type: 'news' })
    peer.say({ type: 'facts', diskFreeMb })
    await until(clock, () => !keeper.links.has('web2') || keeper.received.includes(`web2 has ${diskFreeMb} MB`))
  }
  await say(100, 1)
  await clock.advance(2000)
  await say(100, 2)
  expect(keeper.links.has('web2')).toBe(true)
  await say(101, 3)
  await until(clock, () => !keeper.links.has('web2'))
  const what = 'Node web2 sent too many unexpected messages.'
  expect(keeper.received.slice(-2)).toEqual([`web2 broke: ${what}`, `web2 down: ${what}`])
})

test.each([
  ['pongs that no ping asked for', { type: 'pong' }],
  ['progress of unknown commands', { type: 'progress', id: 77, line: 'x', done: 0 }],
])('a node that sends more than a hundred %s is disconnected and audited', async (_what, frame) => {
  const { peer, keeper, clock } = await greeted()
  for (let output = 0; output < 101; output++) peer.say(frame)
  await until(clock, () => !keeper.links.has('web2'))
  const what = 'Node web2 sent too many unexpected messages.'
  expect(keeper.received.slice(-2)).toEqual([`web2 broke: ${what}`, `web2 down: ${what}`])
})

test.each([
  ['a pong', { type: 'pong' }],
  ['facts', { type: 'facts' }],
  ['an answer to no command', { type: 'answer', id: 77, status: 'done' }],
])('a node that sends %s of more than 64 KiB is disconnected before it is read', async (_what, frame) => {
  const { peer, keeper, clock } = await greeted()
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  peer.say({ ...frame, text: 'x'.repeat(MAX_HELLO_BYTES) })
  await until(clock, () => !keeper.links.has('web2'))
  expect(parse.mock.calls.filter(([text]) => text.length > MAX_HELLO_BYTES)).toEqual([])
  const what = 'Node web2 sent a large message that answers nothing.'
  expect(keeper.received.slice(-2)).toEqual([`web2 broke: ${what}`, `web2 down: ${what}`])
})

test('a large message that begins like an awaited answer must be one', async () => {
  const { peer, keeper, client } = await greeted()
  const requests = failed(client.listAccounts())
  const { id } = (await peer.hear())!
  const text = `{"type":"answer","id":${id},"large":"${'x'.repeat(MAX_HELLO_BYTES)}","type":"pong"}`
  peer.stream.write(framed(text.length, Buffer.from(text)))
  expect(await requests).toBe('Node web2 is not connected.')
  expect(keeper.received).toContain('web2 broke: Node web2 sent a large message that answers nothing.')
})

test('an answer must not be larger than its command needs, and is not read', async () => {
  const { peer, keeper, clock, client } = await greeted()
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  const MiB = 2 ** 20
  const requests = failed(client.room())
  const { id } = (await peer.hear())!
  peer.say({ type: 'answer', id, status: 'failed', message: 'x'.repeat(MiB) })
  expect(await requests).toBe('Node web2 is not connected.')
  await until(clock, () => !keeper.links.has('web2'))
  expect(parse.mock.calls.filter(([text]) => text.length > MiB)).toEqual([])
  const what = 'Node web2 sent a larger answer to room than one can be.'
  expect(keeper.received.slice(-2)).toEqual([`web2 broke: ${what}`, `web2 down: ${what}`])
})

test.each([
  ['appStatus', (client: HostClient) => client.appStatus(), (items: unknown) => ({ at: 'x', items })],
  ['listAccounts', (client: HostClient) => client.listAccounts(), (items: unknown) => items],
])(
  'a list of %s with more items than a node can have is refused before its items are compared',
  async (name, ask, of) => {
    const { peer, keeper, client } = await greeted()
    const requests = failed(ask(client))
    const { id } = (await peer.hear())!
    peer.say({ type: 'answer', id, status: 'done', result: of(new Array(500_000).fill(1)) })
    expect(await requests).toBe('Node web2 is not connected.')
    expect(keeper.received).toContain(
      `web2 broke: Node web2 answered ${name} with something that is not an answer to it.`,
    )
    expect(keeper.compared).toEqual([])
  },
)

test('all ids of an answer are compared with the store at once, each one time', async () => {
  const { peer, keeper, client } = await greeted()
  const requests = client.appStatus()
  const { id } = (await peer.hear())!
  const items = Array.from({ length: 30_000 }, (_, n) => ({ id: idOf(n % 10), status: 'running' }))
  peer.say({ type: 'answer', id, status: 'done', result: { at: 'x', items } })
  expect((await requests).items).toHaveLength(30_000)
  expect(keeper.compared).toEqual([Array.from({ length: 10 }, (_, n) => idOf(n))])
})

test('a node that broke the rules waits twice as long each time, up to 5 minutes, before it may link again', async () => {
  const { peer, keeper, clock, address, own, joined } = await greeted()
  const waits: number[] = []
  const bad = { type: 'answer', id: 77, status: 'done', result: null }
  let linked = peer
  for (let turn = 0; turn < 8; turn++) {
    linked.say(bad)
    await until(clock, () => !keeper.links.has('web2'))
    const reason = await refusal(await raw(address, own), arrival(clock))
    const [, seconds] = /^Node web2 broke the protocol's rules and may connect again (\d+) seconds after that\.$/.exec(
      String(reason),
    )!
    waits.push(Number(seconds))
    await clock.advance(Number(seconds) * 1000)
    linked = await greet(clock, address, own)
    await until(clock, () => keeper.links.has('web2'))
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
  linked.say(bad)
  await until(clock, () => !keeper.links.has('web2'))
  await greet(clock, address, ownOf(await joined()))
  await until(clock, () => keeper.links.has('web2'))
})

test('fields that an answer does not have are left out of it, at any depth', async () => {
  const { peer, client } = await greeted()
  const others = { account_id: idOf(8), username: 'alice', id: 'x', nested: { deep: [] } }
  const requests = client.mailQueue({ filter: {}, limit: 1 })
  const { id } = (await peer.hear())!
  const { id: own, ...message } = queued
  const items = [{ ...message, ...others, id: own }]
  peer.say({ type: 'answer', id, status: 'done', result: { items, total: 1, more: false, ...others } })
  expect(await requests).toStrictEqual({ items: [queued], total: 1, more: false })
  const run = client.runCron({ account: nameOf(account()), run: idOf(9), command: 'true', timeoutS: 1 })
  const { id: next } = (await peer.hear())!
  peer.say({ type: 'answer', id: next, status: 'done', result: { ...ended, ...others } })
  expect(await run).toStrictEqual(ended)
})

test('an awaited answer may be large, once', async () => {
  const { peer, keeper, clock, client } = await greeted()
  const items = Array.from({ length: 5000 }, (_, n) => ({ id: idOf(n) }))
  const requests = client.listAccounts()
  const { id } = (await peer.hear())!
  const answer = { type: 'answer', id, status: 'done', result: items }
  peer.say(answer)
  expect(await requests).toHaveLength(5000)
  peer.say(answer)
  await until(clock, () => !keeper.links.has('web2'))
  expect(keeper.received.at(-1)).toBe('web2 down: Node web2 sent a large message that answers nothing.')
})

test.each<[what: string, more: string, why: string]>([
  ['five thousand levels', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 'A frame is nested deeper than 64 levels.'],
  ['millions of values', `[${'{},'.repeat(2_000_000)}0]`, 'A frame has more than 1000000 values.'],
])('an awaited answer with %s ends the link before it is parsed', async (_, more, why) => {
  const { peer, keeper, clock, client } = await greeted()
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  const requests = failed(client.listAccounts())
  const { id } = (await peer.hear())!
  const text = `{"type":"answer","id":${id},"status":"done","result":[],"more":${more}}`
  peer.stream.write(framed(text.length, Buffer.from(text)))
  await until(clock, () => !keeper.links.has('web2'))
  expect(keeper.received.at(-1)).toBe(`web2 down: ${why}`)
  expect(parse.mock.calls.filter(([parsed]) => parsed.length > 1_000)).toEqual([])
  expect(await requests).toBe('Node web2 is not connected.')
})

test('signs in texts are not values, whatever precedes the quotes', async () => {
  const { peer, client } = await greeted()
  const requests = client.usage({ accounts: [nameOf(account())] })
  const { id } = (await peer.hear())!
  const text = `\\"${'[{,'.repeat(1_000)}\\\\`
  peer.say({ type: 'progress', id, line: text, done: 0 }, { type: 'answer', id, status: 'done', result: [measured] })
  expect(await requests).toEqual([measured])
})

test('values count for more than their bytes between two beats', async () => {
  const { peer, clock, client } = await greeted()
  let lines = 0
  const requests = client.usage({ accounts: [nameOf(account())] }, { progress: () => void lines++ })
  const { id } = (await peer.hear())!
  const more = Array.from({ length: 20_000 }, () => 0)
  for (let turn = 0; turn < 50; turn++) peer.say({ type: 'progress', id, line: 'x', done: 0, more })
  peer.say({ type: 'answer', id, status: 'done', result: [measured] })
  await until(clock, () => lines > 25)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(lines).toBeLessThan(35)
  await clock.advance(2000)
  expect(await requests).toEqual([measured])
  expect(lines).toBe(50)
})

test('a node that sends more than 8 MiB between two beats waits for the next one', async () => {
  const { peer, clock, client } = await greeted()
  let lines = 0
  const requests = client.usage({ accounts: [nameOf(account())] }, { progress: () => void lines++ })
  const { id } = (await peer.hear())!
  for (let turn = 0; turn < 1000; turn++) peer.say({ type: 'progress', id, line: 'x'.repeat(16_000), done: 0 })
  peer.say({ type: 'answer', id, status: 'done', result: [measured] })
  await until(clock, () => lines > 500)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const before = lines
  expect(before).toBeLessThan(560)
  await clock.advance(2000)
  expect(await requests).toEqual([measured])
  expect(lines).toBe(1000)
})

test('a node that sends more bytes than it said ends their stream', async () => {
  const { peer, clock, client, address, own } = await greeted()
  const reading = filesOf(client).read({ path: '' })
  const { id } = (await peer.hear())!
  const [sent, ticket] = [{ entry, start: 0, length: 1, partial: false }, 'a'.repeat(32)]
  peer.say({ type: 'answer', id, status: 'done', result: { ...sent, ticket } })
  const { key } = (await peer.hear())!
  const bulk = await raw(address, own)
  bulk.say(arrival(clock, { purpose: 'bulk', key }))
  expect(await bulk.hear()).toMatchObject({ type: 'hello', ticket })
  bulk.say(hello)
  bulk.stream.write('more')
  const { stream } = await reading
  await expect(stream.toArray()).rejects.toThrow('The host sent more than it said.')
  expect(await bulk.hear()).toBeUndefined()
})

test("a node that answers about another's account or app is disconnected and audited", async () => {
  const cases = [
    { ask: 'usage', result: [{ id: idOf(8), diskMb: 1, inodes: 1 }], about: `account ${idOf(8)}` },
    { ask: 'listAccounts', result: [{ id: idOf(8) }], about: `account ${idOf(8)}` },
    { ask: 'diffZones', result: [{ id: idOf(8), path: '/x', change: 'missing' }], about: `account ${idOf(8)}` },
    { ask: 'appStatus', result: { at: '1', items: [{ id: idOf(7), status: 'running' }] }, about: `app ${idOf(7)}` },
  ] as const
  for (const { ask, result, about } of cases) {
    const { peer, keeper, client } = await greeted()
    keeper.elsewhere.add(`account ${idOf(8)}`).add(`app ${idOf(7)}`)
    const asks = {
      usage: () => client.usage({ accounts: [nameOf(account())] }),
      listAccounts: () => client.listAccounts(),
      diffZones: () => client.diffZones({ served: [{ id: account().id, zones: [] }] }),
      appStatus: () => client.appStatus(),
    }
    const requests = failed(asks[ask]())
    const { id } = (await peer.hear())!
    peer.say({ type: 'answer', id, status: 'done', result })
    expect(await requests).toBe('Node web2 is not connected.')
    expect(keeper.received).toContain(`web2 broke: Node web2 answered about the ${about}, which is not its own.`)
  }
})

const measured = { id: account().id, diskMb: 1, inodes: 1 }
const place = { file: '1', offset: 0 }
const sites = [{ account: nameOf(account()), file: 'a.example' }]

test.each<[ask: 'usage' | 'visits' | 'appStatus' | 'listAccounts', result: unknown]>([
  ['usage', [{ ...measured, diskMb: 'x' }]],
  ['usage', [{ ...measured, inodes: -1 }]],
  ['usage', [{ ...measured, sentThisHour: 0.5 }]],
  ['usage', [measured, measured]],
  ['usage', 'x'],
  ['visits', []],
  ['visits', [{ next: null, more: false, days: [] }]],
  ['visits', [{ next: place, more: false, days: [{ day: '2031-12-31' }] }]],
  ['listAccounts', [{ id: account().id, username: 'x'.repeat(300) }]],
  ['appStatus', { at: '1', items: [{ id: idOf(7), status: 'idle' }] }],
  ['appStatus', null],
])('disconnects a node that answers %s with %j', async (ask, result) => {
  const { peer, keeper, client } = await greeted()
  const requests = {
    usage: () => client.usage({ accounts: [nameOf(account())] }),
    visits: () => client.visits({ first: '2031-12-31', last: '2031-12-31', maxBytes: 1000, sites, salts: [] }),
    listAccounts: () => client.listAccounts(),
    appStatus: () => client.appStatus(),
  }[ask]()
  const { id } = (await peer.hear())!
  peer.say({ type: 'answer', id, status: 'done', result })
  expect(await failed(requests)).toBe('Node web2 is not connected.')
  expect(keeper.received).toContain(`web2 broke: Node web2 answered ${ask} with something that is not an answer to it.`)
})

const days = { first: '2031-02-27', last: '2031-03-01', maxBytes: 1280 }
const visited = (over: object = {}) => ({
  ...{ day: '2031-03-01', requests: 1, bytes: 1, bots: 0, visitors: [], paths: [], referrers: [], statuses: [] },
  ...over,
})
const transfer = (day: string) => ({ day, name: 'bob', received: 1, sent: 1 })
const hashes = (count: number) => Array.from({ length: count }, (_, n) => n.toString(16).padStart(16, '0'))
const visitsOf = (...some: object[]) => [{ next: place, more: false, days: some }]

test.each([
  ['visits', visitsOf(visited({ day: 'z000001' }))],
  ['visits', visitsOf(visited({ day: '2031-02-29' }))],
  ['visits', visitsOf(visited({ day: '2031-03-02' }))],
  ['visits', visitsOf(visited(), visited())],
  ['visits', visitsOf(visited({ paths: Array.from({ length: 501 }, (_, n) => [`/${n}`, 1]) }))],
  ['visits', visitsOf(visited({ paths: [['/'.repeat(256), 1]] }))],
  ['visits', visitsOf(visited({ paths: [['/\u001b[2J', 1]] }))],
  ['visits', visitsOf(visited({ referrers: [['a.example/\n', 1]] }))],
  ['visits', visitsOf(visited({ visitors: ['someone'] }))],
  ['visits', visitsOf(visited({ visitors: hashes(21) }))],
  ['traffic', { next: place, more: false, transfers: [transfer('z000001')] }],
  ['traffic', { next: place, more: false, transfers: [transfer('2031-03-02')] }],
])(
  'disconnects a node whose %s are of no requested day, or more than were to be read: case %#',
  async (ask, result) => {
    const { peer, keeper, client } = await greeted()
    const requests =
      ask === 'visits' ? client.visits({ ...days, sites, salts: [] }) : client.traffic({ ...days, log: 'web' })
    const { id } = (await peer.hear())!
    peer.say({ type: 'answer', id, status: 'done', result })
    expect(await failed(requests)).toBe('Node web2 is not connected.')
    expect(keeper.received).toContain(
      `web2 broke: Node web2 answered ${ask} with something that is not an answer to it.`,
    )
  },
)

test('a node may report each requested day, with as many visitors as there are lines', async () => {
  const { peer, client } = await greeted()
  const requests = client.visits({ ...days, sites, salts: [] })
  const { id } = (await peer.hear())!
  const visitors = hashes(20)
  const result = visitsOf(visited({ day: '2031-02-27' }), visited({ day: '2031-02-28' }), visited({ visitors }))
  peer.say({ type: 'answer', id, status: 'done', result })
  expect(await requests).toEqual(result)
})

const entry = { name: 'eA==', path: 'L3g=', type: 'file', size: 1, mode: '0644', modifiedAt: 1 }
const stored = { account: account().id, backup: idOf(9) }
const archive = { path: '/root/cpmove-bob.tar.gz', dirs: ['/root'], maxEntries: 5, maxBytes: 6 }
const check = { place: stored, manifestSha256: 'a'.repeat(64) }
const run = { account: nameOf(account()), run: idOf(9), command: 'true', timeoutS: 1 }
const ended = { timedOut: false, output: '', truncated: false }
const deleted = { id: idOf(9), path: '/home/.panel-trash/x', size: 1, deletedAt: 1 }
const session = { login: 'bob', address: '192.0.2.1', protocol: 'ftp', since: 1 }
const looked = {
  ...{ now: 1, cpus: 1, load: 1, memoryMb: 1, availableMb: 1 },
  ...{ fileSystems: [], stopped: [], failingDisks: [] },
}
const program = { account: nameOf(account()), program: 'webmail' } as const
const filesOf = (client: HostClient) => client.files(nameOf(account()))
const list = (client: HostClient) => filesOf(client).act('list', { path: '', limit: 1 })
const tail = (client: HostClient) => filesOf(client).act('tailLog', { file: 'a.log', limit: 1 })

/** Requests to a node, as named in the frame, and invalid answers to them. */
const untrue: readonly [name: string, ask: (client: HostClient) => Promise<unknown>, results: readonly unknown[]][] = [
  ['files', list, [null, { items: 'x', total: 0 }, { items: [{ ...entry, size: '1' }], total: 1 }]],
  [
    'files',
    list,
    [
      { items: [{ ...entry, mode: 7 }], total: 1 },
      { items: [entry, entry], total: 2 },
    ],
  ],
  ['files', list, [{ items: [{ ...entry, etag: 'a\r\nSet-Cookie: b' }], total: 1 }, { items: [entry] }]],
  ['files', (client) => filesOf(client).act('stat', { path: '' }), [null, { ...entry, type: 'disk' }]],
  ['files', (client) => filesOf(client).act('listTrash', {}), [{ items: [{ ...entry, id: '../x' }] }, {}]],
  ['files', (client) => filesOf(client).act('uploadSizes', { ids: [idOf(9)] }), [{ sizes: [] }, { sizes: [-1] }]],
  ['files', (client) => filesOf(client).act('dropUpload', { id: idOf(9) }), [{}, 1]],
  ['files', tail, [{ lines: ['a', 'b'], next: place }, { lines: [1], next: place }, { lines: [] }]],
  ['files', tail, [{ lines: ['x'.repeat(100_001)], next: place }]],
  ['files', (client) => filesOf(client).read({ path: '' }), [{ entry, start: 0, length: 1, partial: false }]],
  ['files', (client) => filesOf(client).write({ path: '', maxBytes: 1 }), [null, { ticket: 'x' }]],
  [
    'backup',
    (client) => client.backup({ place: stored, account: nameOf(account()), createdAt: 1, parts: [], texts: [] }),
    [
      null,
      { parts: [], texts: {}, sizeBytes: 1, manifestSha256: 'x' },
      { parts: [{ part: 'all', status: 'ok' }], texts: {}, sizeBytes: 1, manifestSha256: 'a'.repeat(64) },
      { parts: [], texts: { a: 'x' }, sizeBytes: 1, manifestSha256: 'a'.repeat(64) },
    ],
  ],
  ['checkArchive', (client) => client.checkArchive(archive), [{ sizeBytes: -1 }, null]],
  ['readArchive', (client) => client.readArchive(archive), [{ format: 'cpanel', username: 'alice' }]],
  ['checkBackup', (client) => client.checkBackup(check), [{ damage: 'x', contentBytes: 1 }, { damage: [] }]],
  [
    'tryBackup',
    (client) => client.tryBackup({ ...check, account: nameOf(account()) }),
    [
      { damage: 'x', tried: [], left: [] },
      { damage: [], tried: [] },
    ],
  ],
  ['readBackup', (client) => client.readBackup(check), [{ texts: [{ name: 1, text: '' }] }, []]],
  ['indexBackup', (client) => client.indexBackup(check), [{}]],
  [
    'listBackup',
    (client) => client.listBackup({ ...check, part: 'files', path: '', limit: 1 }),
    [null, { indexed: true, items: [{ name: 'a b', type: 'file' }] }, { indexed: true, items: [{ name: 'YQ==' }] }],
  ],
  [
    'openBackup',
    (client) => client.openBackup(check),
    [{ ending: 'tar"\r\nX: y', size: 1, start: 0, length: 1, partial: false, ticket: 'a'.repeat(32) }],
  ],
  ['removeBackup', (client) => client.removeBackup({ place: stored }), [{}]],
  [
    'runCron',
    (client) => client.runCron(run),
    [{ ...ended, exitCode: 'x' }, { ...ended, output: 'x'.repeat(65_537) }, { timedOut: false }],
  ],
  [
    'hostTrash',
    (client) => client.hostTrash({ measured: true }),
    [
      { items: [{ ...deleted, size: -1 }] },
      { items: [{ ...deleted, id: 'x' }] },
      { items: [{ ...deleted, deletedAt: 2 ** 53 - 1 }] },
      null,
    ],
  ],
  ['emptyHostTrash', (client) => client.emptyHostTrash({ before: 1 }), [{ removed: 'all' }, null]],
  [
    'exchangeBans',
    (client) => client.exchangeBans({ after: 0, seq: 0, bans: [], more: false }),
    [
      { seq: 0, found: [{ ...banned, network: '0.0.0.0/0' }] },
      { seq: 0, found: [{ ...banned, service: 'panel' }] },
      { seq: 0, found: [{ ...banned, logins: [{ service: 'ssh', name: 'x'.repeat(65), count: 1 }] }] },
      { seq: 0, found: new Array(61).fill(banned) },
      { seq: -1, found: [] },
    ],
  ],
  [
    'wafHits',
    (client) => client.wafHits({ site: idOf(1), limit: 1, after: 5 }),
    [
      { items: [wafHit, { ...wafHit, n: 3 }], more: false },
      { items: [{ ...wafHit, n: 5 }], more: false },
      { items: [{ ...wafHit, path: '/a\u001b[31m' }], more: false },
      { items: [{ ...wafHit, action: 'allowed' }], more: false },
      { items: [], more: true },
    ],
  ],
  [
    'firewall',
    (client) => client.firewall({}),
    [
      { ...firewall, services: [{ service: 'telnet', port: 23, proto: 'tcp' }] },
      { ...firewall, foreign: [{ chain: 'a\u001b', policy: 'x', rules: 1 }] },
      { ...firewall, confirmed: 'x' },
      { ...firewall, listening: [{ port: 65_536, proto: 'tcp', address: '' }] },
    ],
  ],
  ['confirmFirewall', (client) => client.confirmFirewall({ id: idOf(1) }), [{ confirmed: 'yes' }, {}]],
  ['refusedDomains', (client) => client.refusedDomains(), [{ items: ['x'.repeat(254)] }, { items: {} }]],
  [
    'mailQueue',
    (client) => client.mailQueue({ filter: {}, limit: 1 }),
    [
      { items: [{ ...queued, id: 'ALL' }], total: 1, more: false },
      { items: [{ ...queued, from: 'x'.repeat(1000) }], total: 1, more: false },
      { items: [], total: -1, more: false },
      { items: [], total: 2 ** 40, more: false },
      { items: [], total: 1, more: true },
      { items: [queued, queued], total: 2, more: false },
      { items: [{ ...queued, arrivedAt: 2 ** 53 - 1 }], total: 1, more: false },
    ],
  ],
  [
    'mailQueue',
    (client) => client.mailQueue({ filter: { uids: [20_001] }, limit: 2, after: { arrivedAt: 1, id: queued.id } }),
    [
      { items: [queued], total: 1, more: false },
      {
        items: [
          { ...queued, arrivedAt: 3 },
          { ...queued, arrivedAt: 2 },
        ],
        total: 2,
        more: false,
      },
      { items: [{ ...queued, arrivedAt: 2, uid: 20_002 }], total: 1, more: false },
    ],
  ],
  [
    'mailTrace',
    (client) => client.mailTrace({ limit: 1, days: 14 }),
    [
      { items: [{ ...traced, queueId: 'ALL' }], more: false },
      { items: [{ ...traced, outcome: 'eaten' }], more: false },
      { items: [{ ...traced, answer: 'x'.repeat(1000) }], more: false },
      { items: [{ ...traced, score: 'x' }], more: false },
      { items: [{ ...traced, at: 2 ** 53 - 1 }], more: false },
      { items: [{ ...traced, n: 2 ** 53 - 1 }], more: false },
      { items: [traced, traced], more: false },
    ],
  ],
  [
    'mailTrace',
    (client) => client.mailTrace({ limit: 2, days: 14, uids: [20_001], after: { at: 2, n: 2 } }),
    [
      { items: [{ ...traced, at: 2, n: 2 }], more: false },
      { items: [traced, { ...traced, n: 2 }], more: false },
      { items: [traced], more: true },
      { items: [{ ...traced, uid: 20_002 }], more: false },
    ],
  ],
  [
    'changeMailQueue',
    (client) => client.changeMailQueue({ change: 'delete', filter: { onHold: true } }),
    [{ matched: 1, changed: 1, gone: ['a\nb'] }, null],
  ],
  [
    'ftpSessions',
    (client) => client.ftpSessions(),
    [{ items: [{ ...session, protocol: 'smtp' }] }, { items: [{ ...session, since: 2 ** 53 - 1 }] }, { items: {} }],
  ],
  ['openProgram', (client) => client.openProgram(program), [{ token: 'x y' }, { token: 1 }]],
  ['inspect', (client) => client.inspect(), [{ system: 'x' }, 'x']],
  ['condition', (client) => client.condition(), [{ cpus: 1 }, { ...looked, load: -1 }, { ...looked, now: 'x' }]],
  ['serveZones', (client) => client.serveZones({ served: [] }), [null, { changed: 1.5 }]],
  ['diffZones', (client) => client.diffZones({ served: [] }), [null, {}]],
  ['followPrimary', (client) => client.followPrimary(), [null]],
  ['room', (client) => client.room(), [{ diskFreeMb: -1 }, 1]],
  [
    'remove',
    (client) => client.remove({ account: nameOf(account()), order: { epoch: 1, generation: 1 } }),
    [{ any: 1 }],
  ],
]

test.each(
  untrue.flatMap(([name, ask, results]) =>
    results.map((result) => [name, JSON.stringify(result).slice(0, 80), ask, result] as const),
  ),
)('a node that answers %s with %s is disconnected too', async (name, _received, ask, result) => {
  const { peer, keeper, client } = await greeted()
  const requests = failed(ask(client))
  const { id, command } = (await peer.hear())!
  expect(command).toBe(name)
  peer.say({ type: 'answer', id, status: 'done', result })
  await requests
  expect(keeper.received).toContain(
    `web2 broke: Node web2 answered ${name} with something that is not an answer to it.`,
  )
})

test.each([[{ ...entry, size: 2 ** 60 }], [{ ...entry, modifiedAt: 2 ** 60 }]])(
  'a node with a file larger than a safe integer stays connected: %j',
  async (result) => {
    const { peer, keeper, client } = await greeted()
    const requests = filesOf(client).act('stat', { path: '' })
    const { id } = (await peer.hear())!
    peer.say({ type: 'answer', id, status: 'done', result })
    expect(await requests).toEqual(result)
    expect(keeper.links.has('web2')).toBe(true)
  },
)

const shared = '/dev/shm'

test.skipIf(!existsSync(shared))('the size of a sparse file is reported up to the largest safe integer', () => {
  const file = path(mkdtempSync(path(shared, 'panel-')), 'sparse')
  onTestFinished(() => rmSync(dirname(file), { recursive: true }))
  writeFileSync(file, '')
  truncateSync(file, Number.MAX_SAFE_INTEGER)
  appendFileSync(file, 'more')
  expect(visible([], Buffer.from('sparse'), lstatSync(file, { bigint: true })).size).toBe(Number.MAX_SAFE_INTEGER)
})

test.each([
  { status: 'failed', message: 'x', stage: 'elsewhere' },
  { status: 'failed', message: 'x', fileError: { code: 'root' } },
  { status: 'failed', message: 'x'.repeat(20_001) },
  { status: 'lost' },
])('a node whose command ended as %j is disconnected', async (outcome) => {
  const { peer, keeper, client } = await greeted()
  const requests = failed(client.inspect())
  const { id } = (await peer.hear())!
  peer.say({ type: 'answer', id, ...outcome })
  expect(await requests).toBe('Node web2 is not connected.')
  expect(keeper.received).toContain(
    'web2 broke: Node web2 answered inspect with something that is not an answer to it.',
  )
})

test.each([
  { line: 1, done: 0 },
  { line: 'x'.repeat(20_001), done: 0 },
  { line: 'x', done: '1' },
])('a node that reports progress otherwise is disconnected (%#)', async (received) => {
  const { peer, keeper, client } = await greeted()
  const requests = failed(client.usage({ accounts: [nameOf(account())] }, { progress: () => {} }))
  const { id } = (await peer.hear())!
  peer.say({ type: 'progress', id, ...received })
  expect(await requests).toBe('Node web2 is not connected.')
  expect(keeper.received).toContain('web2 broke: Node web2 answered usage with something that is not an answer to it.')
})

test('requested bytes that a node never opens a connection for fail when its link closes', async () => {
  const { peer, client, port } = await greeted()
  const requests = failed(filesOf(client).read({ path: 'eA==' }))
  const { id } = (await peer.hear())!
  const ticket = { entry, start: 0, length: 1, partial: false, ticket: 'a'.repeat(32) }
  peer.say({ type: 'answer', id, status: 'done', result: ticket })
  expect(await peer.hear()).toMatchObject({ type: 'dial' })
  port.cut(webId, 'Its certificate was revoked.')
  expect(await requests).toBe('Node web2 is not connected.')
})

test('the lines of one command are cut at 20,000, and its answer is accepted', async () => {
  const { peer, client } = await greeted()
  let lines = 0
  const requests = client.usage({ accounts: [nameOf(account())] }, { progress: () => void lines++ })
  const { id } = (await peer.hear())!
  for (let turn = 0; turn < 20_010; turn++) peer.say({ type: 'progress', id, line: 'x', done: 0 })
  peer.say({ type: 'answer', id, status: 'done', result: [measured] })
  expect(await requests).toEqual([measured])
  expect(lines).toBe(20_000)
})

test.each([
  { build: 'x'.repeat(65) },
  { build: '\u001b[2J' },
  { diskFreeMb: 0.5 },
  { diskFreeMb: -1 },
  { diskFreeMb: '9' },
])('refuses an arrival that sends %j', async (over) => {
  const { clock, address, keeper, joined } = await fleet()
  const own = ownOf(await joined())
  const peer = await raw(address, own)
  peer.say(arrival(clock, over))
  expect(await peer.hear()).toBeUndefined()
  expect(keeper.links.size).toBe(0)
})

test.each([
  ['of any length', 'x'.repeat(60_000)],
  ['with a line break', `${webId}\n`],
  ['that is a name', 'web2'],
  ['that is a list', [webId]],
])('a stranger with an id %s is refused, and the log does not repeat the id', async (_what, node) => {
  const { clock, address, keeper, logged } = await fleet()
  const late = clock.now() - 8 * 60_000
  for (const purpose of ['link', 'bulk', 'join']) {
    const over = { purpose, node, clock: late, key: '0', secret, csr: '' }
    expect(await refusal(await raw(address), arrival(clock, over))).toBeUndefined()
  }
  expect(logged).toHaveLength(3)
  for (const line of logged) expect(line).toMatch(/^a node was refused .*"The hello names no node\."\}$/)
  expect(keeper.received).toEqual([])
})

test('a connection for bytes that nothing asked for is refused', async () => {
  const { clock, address, joined } = await fleet()
  const own = ownOf(await joined())
  expect(await refusal(await raw(address, own), arrival(clock, { purpose: 'bulk', key: 'guessed' }))).toBe(
    'Nothing asked for this connection.',
  )
})

const framed = (length: number, bytes: Buffer): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(length)
  return Buffer.concat([head, bytes])
}

test.each([
  ['garbage', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['a frame that is not JSON', framed(4, Buffer.from('nope'))],
  ['a first frame that is too large', framed(MAX_HELLO_BYTES + 1, Buffer.alloc(16))],
  ['a hello without a purpose', framed(2, Buffer.from('{}'))],
])('closes the connection without an answer: %s', async (_what, bytes) => {
  const { address, keeper } = await fleet()
  const peer = await raw(address)
  peer.stream.write(bytes)
  expect(await peer.hear()).toBeUndefined()
  expect(keeper.received).toEqual([])
})

test('an oversized frame of a linked node closes only its link', async () => {
  const { peer, keeper, clock, address, joined } = await greeted()
  peer.stream.write(framed(MAX_FRAME_BYTES + 1, Buffer.alloc(16)))
  await until(clock, () => !keeper.links.has('web2'))
  expect(keeper.received.at(-1)).toBe(
    `web2 down: A frame of ${MAX_FRAME_BYTES + 1} bytes is larger than ${MAX_FRAME_BYTES}.`,
  )
  expect(
    await refusal(await raw(address, ownOf(await joined(otherId, 'web3'))), arrival(clock, { node: otherId })),
  ).toMatchObject({ type: 'welcome' })
})

/** A connection that sends nothing, not even TLS. */
async function silent(port: number): Promise<{ readonly socket: Socket; readonly closed: () => boolean }> {
  let closed = false
  const socket = connectPlain({ port, host: '127.0.0.1' })
  socket
    .on('error', () => {})
    .once('close', () => {
      closed = true
    })
  socket.resume()
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve))
  return { socket, closed: () => closed }
}

test('connections that never introduce themselves close after 10 seconds, and cannot keep nodes out', async () => {
  const { clock, port, address, joined } = await fleet()
  const root = await joined()
  const many = await Promise.all(Array.from({ length: 80 }, () => silent(port.port!)))
  await until(clock, () => many.filter(({ closed }) => closed()).length >= 16)
  expect(many.filter(({ closed }) => !closed()).length).toBeLessThanOrEqual(64)
  await clock.advance(10_000)
  await until(clock, () => many.every(({ closed }) => closed()))
  const node = await dial({ root, clock })
  await until(clock, () => node.output.length > 0, 100)
  expect(node.output.at(-1)).toBe(`connected to the panel at ${address}`)
})

/** Connections that send nothing, each replaced as soon as it is closed, until the test ends. */
async function besiege(port: number, count: number): Promise<void> {
  const sockets = new Set<Socket>()
  let over = false
  onTestFinished(() => {
    over = true
    for (const socket of sockets) socket.destroy()
  })
  const hold = (localAddress: string, inUse: () => void = () => {}): void => {
    const socket = connectPlain({ port, host: '127.0.0.1', localAddress }, inUse)
    sockets.add(socket.on('error', () => {}))
    socket.resume().once('close', () => {
      sockets.delete(socket)
      if (!over) hold(localAddress)
    })
  }
  await Promise.all(
    Array.from({ length: count }, (_, n) => new Promise<void>((inUse) => hold(`127.0.0.${2 + (n % 6)}`, inUse))),
  )
}

test('however many silent connections some addresses open, a node connects and transfers bytes', async () => {
  const { clock, port, keeper, joined } = await fleet()
  const root = await joined()
  await besiege(port.port!, 384)
  await dial({ root, clock })
  await until(clock, () => keeper.links.has('web2'), 20)
  const { client } = keeper.links.get('web2')!
  await client.apply({ order: { epoch: 1, generation: 1 }, server, account: account() })
  const outbox = await client
    .files(nameOf(account()))
    .write({ path: Buffer.from('/n').toString('base64'), maxBytes: 9 })
  await outbox.send(
    (async function* () {
      yield Buffer.from('bytes')
    })(),
  )
  expect(await outbox.commit()).toBeDefined()
})

test('closes a connection that stops in the middle of its hello after 10 seconds', async () => {
  const { clock, address } = await fleet()
  const peer = await raw(address)
  peer.stream.write(framed(100, Buffer.from('{"type":')))
  let ended = false
  void peer.hear().then(() => {
    ended = true
  })
  await until(clock, () => ended, 1000)
  expect(ended).toBe(true)
})

/** A node with a link that answers, or not, whatever the panel asks of it. */
async function answering(isAlive: boolean) {
  const world = await greeted()
  if (isAlive)
    void (async () => {
      for (let frame = await world.peer.hear(); frame; frame = await world.peer.hear())
        if (frame['type'] === 'ping') world.peer.say({ type: 'pong' })
    })()
  return world
}
const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

test.each([true, false])(
  'copies of a node that stay open are limited and closed; its link answers: %s',
  async (isAlive) => {
    const { clock, address, own } = await answering(isAlive)
    const before = sockets()
    const copies = await Promise.all(
      Array.from({ length: 90 }, async (_, n) => {
        const peer = await raw(address, own)
        peer.stream.on('error', () => {})
        peer.say(arrival(clock, { boot: `copy ${n}` }))
        return peer
      }),
    )
    await until(clock, () => sockets() - before <= 90 + 64)
    await until(clock, () => sockets() - before <= 90 + 1, 500)
    for (const { stream } of copies) stream.destroy()
  },
)

test('a connection that closes while a former link is probed does not lock the node out', async () => {
  const { clock, keeper, address, own, peer } = await answering(false)
  const other = await raw(address, own)
  other.say(arrival(clock, { boot: 'other' }))
  expect(await peer.hear()).toMatchObject({ type: 'ping' })
  other.stream.destroy()
  await until(clock, () => !keeper.links.has('web2'), 100)
  const third = await raw(address, own)
  third.say(arrival(clock, { boot: 'third' }))
  expect(await third.hear()).toMatchObject({ type: 'welcome' })
})

test('a node that connects without end is refused for the rest of the minute', async () => {
  const { clock, keeper, address, joined } = await fleet()
  const own = ownOf(await joined())
  const links = async (): Promise<unknown> => {
    const peer = await raw(address, own)
    peer.say(arrival(clock))
    const answer = await peer.hear()
    peer.stream.destroy()
    return answer?.['reason'] ?? answer?.['type']
  }
  for (let count = 0; count < 240; count++) expect(await links()).toBe('welcome')
  expect(await links()).toBe('Node web2 has connected 240 times within a minute and must wait for the next.')
  expect(keeper.received.at(-1)).toMatch(/^web2 barred: /)
  await clock.advance(60_000)
  expect(await links()).toBe('welcome')
}, 60_000)

test('refused connections are logged sixty times a minute, and then counted', async () => {
  const { clock, address, logged } = await fleet()
  const refused = async (): Promise<void> => {
    const peer = await raw(address)
    peer.say(arrival(clock))
    await peer.hear()
  }
  for (let count = 0; count < 75; count++) await refused()
  expect(logged).toHaveLength(60)
  await clock.advance(60_000)
  await refused()
  expect(logged.slice(60).map((line) => line.replace(/ {.*/, ''))).toEqual([
    'more nodes were refused',
    'a node was refused',
  ])
  expect(logged[60]).toContain('{"count":15}')
}, 60_000)
