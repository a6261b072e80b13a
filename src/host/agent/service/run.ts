import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '../../../contract/version.ts'
import type { HostDriver } from '../../contract/driver.ts'
import { createDebianDriver } from '../../debian/driver.ts'
import { serveAgent, serveBuild } from '../../debian/worker/main.ts'
import { createDirectoryDriver } from '../../driver/file-driver.ts'
import { inherited, refuseManualStart } from '../../driver/inherited-socket.ts'
import type { FailPoint } from '../../install/engine.ts'
import { withUserMessage } from '../../install/user-message.ts'
import { HostAgent } from './agent.ts'
import { becomeAlone } from './local.ts'
import { checkpoint, sayWhy, serveSocket } from './service.ts'
import { serveConnection } from './session.ts'

/** The descriptor that the panel passes to its child. */
const connection = 3
/** A higher niceness than the panel's. */
const afterRequests = 5

const help = `Usage: panel host agent --node [--root DIR]

Run the host agent of a machine that has joined a panel with \`panel host join\`.
With --root DIR the host is a directory instead of this machine.

Without --node \`panel serve\` or the unit panel-host.service starts it.
`

type Start = (node?: string) => Promise<HostAgent>

interface AgentLocation {
  readonly root: string
  /** The socket to listen on as a service. */
  readonly socket?: string
  /** Whether it is a node, which connects to its panel. */
  readonly node?: boolean
  /** Whether it runs tenants' programs. */
  readonly trustTenants: boolean
}

/** The agent: `host agent --root DIR` as a child of `panel serve`, `--socket PATH` or `--node` as a service of its own. */
export async function runAgent(words: readonly string[], onFailPoint?: FailPoint): Promise<void> {
  if (words.at(-1) === '--home') return serveAgent(placeOf(words.slice(0, -1))?.root)
  if (words.at(-1) === '--build') return serveBuild(placeOf(words.slice(0, -1))?.root)
  if (words.at(-3) === '--read-archive') return readArchive(words.slice(-2).map(Number))
  if (words.at(-2) === '--unpack-archive') return unpackArchive(words.at(-1)!)
  if (words.includes('--help') || words.includes('-h')) return void process.stdout.write(help)
  const place = placeOf(words)
  if (place === undefined) return refuseManualStart()
  process.title = 'panel host agent'
  process.umask(0o077)
  const start: Start = (node) => startAgent(place, onFailPoint, node)
  if (place.node) return runNode(place.root, start)
  return place.socket === undefined ? serveParent(place.root, start) : runService(place.root, place.socket, start)
}

async function readArchive([maxEntries, maxBytes]: readonly number[]): Promise<void> {
  const { serveRead } = await import('../../imports/process.ts')
  await serveRead(maxEntries!, maxBytes!)
}

async function unpackArchive(folder: string): Promise<void> {
  const { serveUnpack } = await import('../../imports/process.ts')
  await serveUnpack(folder)
}

async function runNode(root: string, start: (node: string) => Promise<HostAgent>): Promise<void> {
  try {
    await aloneAt(root, 'refused')
    // An agent that only accepts connections does not load the code to open them.
    const { serveNode } = await import('../../nodes/node/serve.ts')
    await serveNode(root, start)
  } catch (error) {
    sayWhy(error)
  }
}

async function runService(root: string, socket: string, start: Start): Promise<void> {
  try {
    await aloneAt(root, 'refused')
    await serveSocket(socket, start)
  } catch (error) {
    sayWhy(error)
  }
}

/** Ends with its connection. */
async function serveParent(root: string, start: Start): Promise<void> {
  const stream = inherited(connection)
  if (stream === undefined) return refuseManualStart()
  lowerPriority()
  // Terminals and service managers signal the whole group; the panel decides when to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  const agent = startAlone(root, start)
  await serveConnection(stream, agent)
  await agent.then((one) => one.close()).catch(() => {})
  await checkpoint(agent)
  // Work in flight is left as after kill -9: the next start undoes it.
  process.exit(0)
}

/** Prioritizes answers over files that a job writes, where the system lets a process do so. */
function lowerPriority(): void {
  try {
    setPriority(afterRequests)
  } catch {
    // A seccomp filter may forbid it; the work is the same.
  }
}

async function startAlone(root: string, start: Start): Promise<HostAgent> {
  const server = await aloneAt(root, 'waited for')
  const agent = await start()
  server.on('connection', (stream) => void agent.carry(stream))
  return agent
}

const aloneAt = (root: string, another: 'waited for' | 'refused') =>
  withUserMessage('stage', () => becomeAlone(root, another))

const startAgent = (place: AgentLocation, onFailPoint: FailPoint | undefined, node?: string): Promise<HostAgent> =>
  HostAgent.start({ driver: driverFor(place, onFailPoint), root: place.root, build: version, ...(node && { node }) })

/** At the root of the file system the host is this machine. */
const driverFor = ({ root, trustTenants }: AgentLocation, onFailPoint: FailPoint | undefined): HostDriver =>
  root === '/'
    ? createDebianDriver()
    : createDirectoryDriver({ root, trustTenants, ...(onFailPoint && { onFailPoint }) })

const options = {
  root: { type: 'string' },
  socket: { type: 'string' },
  node: { type: 'boolean', default: false },
  'trust-tenants': { type: 'boolean', default: false },
} as const

function placeOf(words: readonly string[]): AgentLocation | undefined {
  try {
    const { root, socket, node, ...trust } = parseArgs({ args: [...words], options, allowPositionals: true }).values
    if (root === undefined && socket === undefined && !node) return undefined
    const trustTenants = trust['trust-tenants']
    return { root: resolve(root ?? '/'), trustTenants, node, ...(socket && { socket: resolve(socket) }) }
  } catch {
    return undefined
  }
}
