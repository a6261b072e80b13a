import { cpSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tempDir } from '../helpers.ts'
import { arrival, dial, fleet, linked, ownOf, raw, until, webId } from './world.ts'

const sentence =
  'Two machines have the identity of node web2: the one at 127.0.0.1 is connected, and the one at 127.0.0.1 is refused. Switch the copy off; to let it in as the node, use `panel nodes renew-join web2`.'

test('a duplicate of a node is refused while the node answers, and accepted when it does not', async () => {
  const { root, clock, keeper, node, address } = await linked()
  const copied = tempDir()
  cpSync(root, copied, { recursive: true })
  keeper.received.splice(0)
  const copy = await dial({ root: copied, clock })
  await until(clock, () => copy.output.length > 0, 100)
  expect(copy.output).toEqual([sentence])
  expect(node.output).toHaveLength(1)
  // It keeps retrying, and the node's link remains.
  await until(clock, () => keeper.received.length >= 3, 500)
  expect(new Set(keeper.received)).toEqual(new Set([`web2 twice: ${sentence}`]))
  await node.stop()
  await until(clock, () => copy.output.length === 2, 500)
  expect(copy.output.at(-1)).toBe(`connected to the panel at ${address}`)
})

test('a machine whose link hangs is accepted again with another process', async () => {
  const { clock, keeper, address, joined } = await fleet()
  const root = await joined()
  const hung = await raw(address, ownOf(root))
  hung.say(arrival(clock))
  await hung.hear()
  await hung.hear()
  hung.say({ ...arrival(clock), type: 'hello' })
  await until(clock, () => keeper.links.has('web2'))
  const node = await dial({ root, clock })
  await until(clock, () => node.output.length > 0, 100)
  expect(node.output).toEqual([`connected to the panel at ${address}`])
  expect(keeper.received.slice(1)).toEqual(['web2 up', 'web2 down: Node web2 has connected again.', 'web2 up'])
})

test('concurrent connections of one node result in one link', async () => {
  const { clock, keeper, address, joined } = await fleet()
  const own = ownOf(await joined())
  const peers = await Promise.all(Array.from({ length: 4 }, () => raw(address, own)))
  for (const peer of peers) {
    peer.say(arrival(clock))
    void (async () => {
      for (let frame = await peer.hear(); frame; frame = await peer.hear())
        if (frame['type'] === 'hello') peer.say({ ...arrival(clock), type: 'hello' })
    })()
  }
  await until(clock, () => peers.filter(({ stream }) => stream.destroyed).length === 3)
  await until(clock, () => keeper.links.has('web2'))
  const counted = (line: string) => keeper.received.filter((received) => received.startsWith(line)).length
  expect(counted('web2 up') - counted('web2 down')).toBe(1)
})

test('a certificate revoked while the previous link is probed is refused', async () => {
  const { clock, keeper, address, joined } = await fleet()
  const own = ownOf(await joined())
  const hung = await raw(address, own)
  hung.say(arrival(clock))
  await hung.hear()
  await hung.hear()
  hung.say({ ...arrival(clock), type: 'hello' })
  await until(clock, () => keeper.links.has('web2'))
  const other = await raw(address, own)
  other.say(arrival(clock, { boot: '00000000-0000-4000-8000-000000000002' }))
  expect(await hung.hear()).toMatchObject({ type: 'ping' })
  keeper.revoke(webId)
  await until(clock, () => !keeper.links.has('web2'), 100)
  expect(await other.hear()).toEqual({ type: 'refused', reason: 'The certificate of node web2 was revoked.' })
  expect(keeper.received.filter((received) => received === 'web2 up')).toHaveLength(1)
})
