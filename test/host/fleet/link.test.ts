import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { nodeCertificate } from '../../../src/areas/nodes/trust/x509.ts'
import { PausedDriver } from '../../drivers.ts'
import { account, nameOf, server } from '../helpers.ts'
import { arrival, dial, fleet, linked, mute, ownOf, raw, until, webId } from './world.ts'

const order = (generation: number) => ({ epoch: 1, generation })
const applied = (generation = 1) => ({ order: order(generation), server, account: account() })

test('joins a machine with its command, which connects and does what the panel asks', async () => {
  const { client, keeper, node } = await linked()
  expect(await client.apply(applied())).toMatchObject({ warnings: [] })
  expect(await client.listAccounts()).toEqual([{ id: account().id }])
  expect(client.kind).toBe('directory')
  expect(keeper.received).toEqual([`join ${webId}`, 'web2 up'])
  expect(node.output).toEqual([expect.stringMatching(/^connected to the panel at 127\.0\.0\.1:\d+$/)])
})

test('bytes use connections of their own, in both directions', async () => {
  const { client } = await linked()
  await client.apply(applied())
  const files = client.files(nameOf(account()))
  const path = Buffer.from('/notes.txt').toString('base64')
  const bytes = Buffer.alloc(4 * 2 ** 20, 'x')
  const outbox = await files.write({ path, maxBytes: bytes.length })
  await outbox.send(
    (async function* () {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    })(),
  )
  await outbox.commit()
  const { answer, stream } = await files.read({ path })
  expect(answer.length).toBe(bytes.length)
  expect(await text(stream)).toBe(bytes.toString())
})

test('a stream whose reader stalls is closed within a minute, while commands continue', async () => {
  const { client, clock } = await linked()
  await client.apply(applied())
  const files = client.files(nameOf(account()))
  const path = Buffer.from('/large').toString('base64')
  const size = 64 * 2 ** 20
  const outbox = await files.write({ path, maxBytes: size })
  await outbox.send(
    (async function* () {
      for (let at = 0; at < size; at += 2 ** 20) yield Buffer.alloc(2 ** 20)
    })(),
  )
  await outbox.commit()
  const { stream } = await files.read({ path })
  let over: Error | undefined
  stream.once('error', (error) => {
    over = error
  })
  stream.read(1)
  const began = clock.now()
  // In small steps: heartbeats of both sides must keep up with the clock on a loaded machine.
  await until(clock, () => over !== undefined, 100)
  expect(clock.now() - began).toBeGreaterThan(40_000)
  expect(clock.now() - began).toBeLessThanOrEqual(70_000)
  expect(await client.listAccounts()).toHaveLength(1)
})

test('a command that runs when the link is lost reports that the node is away', async () => {
  const world = await fleet()
  const root = await world.joined()
  const driver = new PausedDriver(root)
  const node = await dial({ root, clock: world.clock, driver })
  await until(world.clock, () => world.keeper.links.has('web2'))
  const { client } = world.keeper.links.get('web2')!
  const lost = client.apply(applied()).catch((error) => error)
  await until(world.clock, () => driver.calls.length > 0)
  await node.stop()
  expect(await lost).toMatchObject({ name: 'HostError', code: 'unreachable', message: 'Node web2 is not connected.' })
  expect(await client.listAccounts().catch((error) => error)).toMatchObject({ code: 'unreachable' })
  expect(client.status).toEqual({ status: 'unreachable', reason: 'Node web2 is not connected.' })
  expect(world.keeper.received.at(-1)).toBe('web2 down: The connection to node web2 was lost.')
  driver.release()
})

test('a node that is silent for 6 seconds is down, but not one that answers heartbeats', async () => {
  const { clock, keeper, address, joined } = await fleet()
  const root = await joined()
  const peer = await raw(address, ownOf(root))
  peer.say(arrival(clock))
  expect(await peer.hear()).toMatchObject({ type: 'welcome' })
  expect(await peer.hear()).toMatchObject({ type: 'hello', build: 'test' })
  peer.say({ ...arrival(clock), type: 'hello' })
  await until(clock, () => keeper.links.has('web2'))
  for (let beats = 0; beats < 6; beats++) {
    await clock.advance(2000)
    expect(await peer.hear()).toEqual({ type: 'ping' })
    peer.say({ type: 'pong' })
  }
  expect(keeper.received.filter((line) => line.includes('down'))).toEqual([])
  await until(clock, () => !keeper.links.has('web2'), 1000)
  expect(keeper.received.at(-1)).toBe('web2 down: Node web2 has said nothing for 6 seconds.')
})

test('a node leaves a panel that is silent for 6 seconds, and finds another at the next address', async () => {
  const { clock, keeper, address, joined, port } = await fleet()
  const root = await joined()
  const silent = await mute(keeper)
  keeper.addresses = [silent.address, address]
  const node = await dial({ root, clock })
  await until(clock, () => node.identity.known.addresses.length === 2)
  port.cut(webId, 'to see where it goes')
  await node.stop()
  const again = await dial({ root, clock })
  await until(clock, () => keeper.links.has('web2'), 500)
  expect(silent.count()).toBeGreaterThan(0)
  expect(again.output).toEqual([
    `The panel at ${silent.address} said nothing for 6 seconds.`,
    `connected to the panel at ${address}`,
  ])
})

test('a node keeps the addresses that worked, even when it receives others', async () => {
  const { clock, keeper, address, node, port, root } = await linked()
  keeper.addresses = ['127.0.0.1:9']
  await port.refresh()
  await until(clock, () => node.identity.known.addresses.length === 1)
  port.cut(webId, 'to see where it goes')
  await until(clock, () => keeper.received.filter((line) => line === 'web2 up').length === 2, 100)
  await node.stop()
  const again = await dial({ root, clock })
  await until(clock, () => again.output.length === 2, 500)
  expect(again.output).toEqual([
    'The panel at 127.0.0.1:9 cannot be reached: ECONNREFUSED.',
    `connected to the panel at ${address}`,
  ])
  keeper.addresses = []
  await port.refresh()
  await until(clock, () => again.identity.addresses.length === 1)
  expect(again.identity.addresses).toEqual([address])
})

test('a certificate is sent each hour until the node confirms that it stored it', async () => {
  const { clock, keeper, address, joined } = await fleet()
  const root = await joined()
  const { key, cert } = ownOf(root)
  const spki = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' })
  keeper.fresh = await nodeCertificate(keeper.authority, spki, webId, clock.now())
  const peer = await raw(address, { key, cert })
  peer.say(arrival(clock))
  await peer.hear()
  await peer.hear()
  peer.say({ ...arrival(clock), type: 'hello' })
  const fresh = ['welcome', keeper.fresh]
  const sent: unknown[] = []
  const heard = async () => (await peer.hear())!
  expect(await heard()).toMatchObject({ type: 'welcome', certificate: keeper.fresh })
  const beats = async (count: number) => {
    for (let beat = 0; beat < count; beat++) {
      await clock.advance(2000)
      for (let frame = await heard(); frame['type'] !== 'ping'; frame = await heard())
        sent.push([frame['type'], frame['certificate']])
      peer.say({ type: 'pong' })
    }
  }
  await beats(1801)
  expect(sent).toEqual([fresh])
  peer.say({ type: 'facts', certificate: 'of something else' })
  peer.say({ type: 'facts', certificate: new X509Certificate(keeper.fresh).fingerprint256 })
  await until(clock, () => keeper.received.length > 2)
  await beats(1800)
  expect(sent).toEqual([fresh])
  expect(keeper.validated.map((text) => text.trim())).toEqual([cert, cert, keeper.fresh].map((text) => text.trim()))
  expect(keeper.received.slice(1)).toEqual(['web2 up', 'web2 keeps the new certificate'])
})

test('renewal issues a certificate for the same key, which the next connection presents', async () => {
  const { keeper, clock, joined, port } = await fleet()
  const root = await joined()
  const spki = createPublicKey(createPrivateKey(ownOf(root).key)).export({ type: 'spki', format: 'der' })
  keeper.fresh = await nodeCertificate(keeper.authority, spki, webId, clock.now())
  const node = await dial({ root, clock })
  await until(clock, () => keeper.received.includes('web2 keeps the new certificate'), 100)
  expect(node.identity.known.certificate).toBe(keeper.fresh)
  port.cut(webId, 'to see it come back')
  await until(clock, () => keeper.validated.length === 2, 500)
  expect(keeper.validated[1]!.trim()).toBe(keeper.fresh.trim())
})

test('opening and closing a port at once ends in the last state asked for, and leaks no listener', async () => {
  const { port, keeper } = await fleet()
  const first = port.port!
  await Promise.all([port.close(), port.open(keeper), port.open(keeper), port.close()])
  expect(port.port).toBeUndefined()
  const [one, same] = await Promise.all([port.open(keeper), port.open(keeper)])
  expect([one, port.port]).toEqual([same, same])
  await Promise.all([port.open(keeper), port.close()])
  for (const left of [first, one]) await expect(raw(`127.0.0.1:${left}`)).rejects.toThrow('ECONNREFUSED')
})
