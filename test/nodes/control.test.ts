import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { dial } from '../host/fleet/world.ts'
import { eventually, joined } from './joined.ts'

const minute = 60_000

test('an address at which nodes cannot reach the panel is refused, and changes nothing', async () => {
  const panel = await startPanel()
  panel.nodeHost = '0.0.0.0'
  await panel.restart()
  const refusal = async (address: string) => {
    const { status, body } = await panel.patch('/settings', { control_addresses: ['panel.example.com:7712', address] })
    return [status, body.fields]
  }
  const malformed = ['panel.example.com', '...:7712', '-x-:7712', 'a b:7712', '1.2.3:7712', 'h:0', 'h:65536', '[::g]:1']
  for (const address of malformed)
    expect(await refusal(address)).toEqual([
      400,
      { control_addresses: `${address} must be host:port, such as panel.example.com:7712` },
    ])
  for (const address of ['localhost:7712', '127.0.0.1:7712', '0.0.0.0:7712', '[::1]:7712', '[::]:7712'])
    expect(await refusal(address)).toEqual([
      400,
      {
        control_addresses: `${address} leads each node to itself: give the address at which nodes reach this server, such as panel.example.com:7712`,
      },
    ])
  const api = new URL(panel.panel.runtime.baseUrl)
  const main = (await panel.get('/ips')).body.items[0].address
  for (const address of [`host.example:${api.port}`, `HOST.example.:${api.port}`, `${main}:${api.port}`])
    expect(await refusal(address)).toEqual([
      400,
      {
        control_addresses: `${address} is where the API answers: give the port of \`panel serve --node-port\`, by default 7712`,
      },
    ])
  expect((await panel.get('/settings')).body.control_addresses).toEqual([])
  const control_addresses = [
    'panel.example.com:7712',
    `standby.example.com:${api.port}`,
    '192.0.2.1:7712',
    '[2001:db8::1]:7712',
    'xn--bcher-kva.example:1',
  ]
  expect((await panel.patch('/settings', { control_addresses })).body).toMatchObject({ control_addresses })
})

test('a wrong address that is reverted strands no node', async () => {
  const panel = await startPanel()
  const { agent, root } = await joined(panel)
  const [worked] = agent.identity.addresses
  await panel.patch('/settings', { control_addresses: ['127.0.0.1:9'] })
  await eventually(panel, () => agent.identity.addresses.length === 2)
  expect(agent.identity.addresses).toEqual(['127.0.0.1:9', worked])
  await panel.patch('/settings', { control_addresses: [] })
  await eventually(panel, () => agent.identity.addresses.length === 1)
  await agent.stop()
  const again = await dial({ root, clock: panel.clock })
  await eventually(panel, () => again.output.length > 0)
  expect(again.output).toEqual([`connected to the panel at ${worked}`])
})

test('a duplicate of a node is reported while it retries, audited once, and does not mark the node down', async () => {
  const panel = await startPanel()
  const { id, root, agent } = await joined(panel)
  const copied = join(panel.dir, 'copied')
  cpSync(root, copied, { recursive: true })
  panel.forget()
  const copy = await dial({ root: copied, clock: panel.clock })
  const visible = async () => (await panel.get(`/nodes/${id}`)).body
  await eventually(panel, async () => (await visible()).reason !== undefined)
  const { state, reason } = await visible()
  expect([state, reason]).toEqual(['active', expect.stringMatching(/^Two machines have the identity of node web2: /)])
  await eventually(panel, () => copy.output.length > 0)
  expect(copy.output).toEqual([reason])
  expect(agent.output).toHaveLength(1)
  for (let turn = 0; turn < 8; turn++) await panel.clock.advance(minute / 12)
  const { items } = (await panel.get('/audit?operation=refuseNode')).body
  expect(items).toMatchObject([{ object_id: id, after: { name: 'web2', reason } }])
  await copy.stop()
  await eventually(panel, async () => (await visible()).reason === undefined, 1000)
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})
