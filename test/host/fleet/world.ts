import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join as path } from 'node:path'
import { type ConnectionOptions, connect, createServer, type TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { Hello } from '../../../src/host/agent/protocol/messages.ts'
import { HostAgent } from '../../../src/host/agent/service/agent.ts'
import type { HostDriver } from '../../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../../src/host/driver/file-driver.ts'
import { Dialer } from '../../../src/host/nodes/node/dialer.ts'
import { Identity } from '../../../src/host/nodes/node/identity.ts'
import { join } from '../../../src/host/nodes/node/join.ts'
import { TlsNodePort } from '../../../src/host/nodes/panel/port.ts'
import { FakeClock } from '../../clock.ts'
import { hello, Peer } from '../agent/peer.ts'
import { idOf, tempDir } from '../helpers.ts'
import { TestKeeper } from './keeper.ts'

export const webId = idOf(1)
export const secret = 'a'.repeat(32)

/** A node port on loopback, its registry of nodes, and a clock at the machine's time that moves when told. */
export async function fleet() {
  const clock = new FakeClock(Date.now())
  const keeper = await TestKeeper.make(() => clock.now())
  const logged: string[] = []
  const log = {
    info: () => {},
    warn: (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`),
  }
  const port = new TlsNodePort({ host: '127.0.0.1', port: 0, build: 'test', clock, log })
  await port.open(keeper)
  onTestFinished(() => port.close())
  const address = `127.0.0.1:${port.port}`
  const joined = async (id = webId, name = 'web2') => {
    keeper.expect(id, name, secret)
    const root = tempDir()
    await join({ address, node: id, pin: keeper.pin, secret, root, clock })
    return root
  }
  return { clock, keeper, port, address, logged, joined }
}

export type TestFleet = Awaited<ReturnType<typeof fleet>>

/** Moves time on until something holds. */
export async function until(clock: FakeClock, is: () => boolean, step = 0): Promise<void> {
  for (let turn = 0; !is(); turn++) {
    if (turn > 2000) throw new Error('It never came.')
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (step > 0) await clock.advance(step)
  }
}

interface Dialing {
  readonly root: string
  readonly clock: FakeClock
  readonly driver?: HostDriver
  /** Its host name. */
  readonly hostname?: string
  /** The versions it supports, if not the current ones. */
  readonly protocol?: Hello['protocol']
}

/** The agent of a node, in this process. */
export async function dial(dialing: Dialing) {
  const { root, clock, protocol, hostname, driver = createDirectoryDriver({ root: path(root, 'host') }) } = dialing
  const output: string[] = []
  const identity = Identity.read(root)!
  const agent = await HostAgent.start({ driver, root: path(root, 'host'), build: 'test', node: identity.known.name })
  if (protocol) Object.defineProperty(agent, 'hello', { value: { ...agent.hello, protocol } })
  const dialer = new Dialer({
    ...{ identity, agent, root, hostname, clock },
    say: (line) => void output.push(line),
    random: () => 0,
  })
  const over = dialer.run()
  const stop = () => {
    dialer.stop()
    return over
  }
  onTestFinished(stop)
  return { output, identity, agent, stop }
}

/** A node that has joined and is linked. */
export async function linked() {
  const world = await fleet()
  const root = await world.joined()
  const node = await dial({ root, clock: world.clock })
  await until(world.clock, () => world.keeper.links.has('web2'))
  return { ...world, root, node, client: world.keeper.links.get('web2')!.client }
}

/** What a joined node presents. */
export function ownOf(root: string) {
  const { known, key } = Identity.read(root)!
  return { key, cert: known.certificate }
}

/** A connection to the port for a test to use. */
export async function raw(address: string, own: ConnectionOptions = {}): Promise<Peer> {
  const [host, port] = address.split(':')
  const socket: TLSSocket = connect({ host, port: Number(port), rejectUnauthorized: false, ...own })
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  return new Peer(socket)
}

export const arrival = (clock: FakeClock, over: object = {}) => ({
  ...hello,
  purpose: 'link',
  node: webId,
  clock: clock.now(),
  ...over,
})

/** A panel with the right certificate that never sends anything. */
export async function mute(keeper: TestKeeper) {
  let count = 0
  const server = createServer(await keeper.credentials(), (socket) => {
    count++
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count }
}

export const contentOf = (file: string): string => readFileSync(file, 'utf8')
