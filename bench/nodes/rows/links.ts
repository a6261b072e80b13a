import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { fileURLToPath } from 'node:url'
import { machineClock } from '../../../src/host/nodes/node/clock.ts'
import { join } from '../../../src/host/nodes/node/join.ts'
import { TlsNodePort } from '../../../src/host/nodes/panel/port.ts'
import { TestKeeper } from '../../../test/host/fleet/keeper.ts'
import { say } from '../figures.ts'

// Links of a fleet on loopback: the control plane in this process, the agents in two others. Run with --expose-gc for memory.

const agents = 50
const commands = 20_000
const atOnce = 400

const dir = mkdtempSync(path(tmpdir(), 'panel-bench-nodes-'))
const children: ChildProcess[] = []

function start(roots: readonly string[]): ChildProcess {
  const file = fileURLToPath(new URL('../agents.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...roots], { stdio: 'ignore' })
  children.push(child)
  return child
}

async function until(is: () => boolean): Promise<number> {
  const began = performance.now()
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 10))
  return performance.now() - began
}

async function enrol(keeper: TestKeeper, address: string): Promise<string[]> {
  const roots: string[] = []
  for (let n = 0; n < agents; n++) {
    const [id, root, secret] = [`01J${String(n).padStart(23, '0')}`, path(dir, `node${n}`), 'a'.repeat(32)]
    keeper.expect(id, `node${n}`, secret)
    await join({ address, node: id, pin: keeper.pin, secret, root })
    roots.push(root)
  }
  return roots
}

/** What is held: of what the process has of the machine, much is on its way back. */
const settled = (): number => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function throughput(keeper: TestKeeper): Promise<void> {
  const clients = [...keeper.links.values()].map(({ client }) => client)
  let left = commands
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  const one = async (turn: number): Promise<void> => {
    for (let n = turn; left-- > 0; n++) await clients[n % clients.length]!.listAccounts([])
  }
  await Promise.all(Array.from({ length: atOnce }, (_, turn) => one(turn)))
  const { user, system } = process.cpuUsage(cpu)
  say('commands a second', commands / ((performance.now() - began) / 1000), '/s', { least: 3000 })
  say("control plane's processor time, 1,000 commands", (user + system) / commands, 'ms', { max: 100 })
}

async function links(): Promise<void> {
  const keeper = await TestKeeper.make(() => Date.now())
  const log = { info: () => {}, warn: () => {} }
  const port = new TlsNodePort({ host: '127.0.0.1', port: 0, build: 'bench', clock: machineClock, log })
  await port.open(keeper)
  const number = port.port!
  const roots = await enrol(keeper, `127.0.0.1:${number}`)
  const before = settled()
  start(roots.slice(1))
  const alone = start(roots.slice(0, 1))
  await until(() => keeper.links.size === agents)
  await new Promise((resolve) => setTimeout(resolve, 2000))
  say('memory a link', (settled() - before) / agents / 1024, 'KiB', { max: 80 })
  await throughput(keeper)
  alone.kill('SIGSTOP')
  say('a stopped node is seen', (await until(() => keeper.links.size < agents)) / 1000, 's', { max: 7 })
  alone.kill('SIGCONT')
  await until(() => keeper.links.size === agents)
  await port.close()
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const again = new TlsNodePort({ host: '127.0.0.1', port: number, build: 'bench', clock: machineClock, log })
  await again.open(keeper)
  say('all are back', (await until(() => keeper.links.size === agents)) / 1000, 's', { max: 10 })
  for (const child of children) child.kill('SIGKILL')
  await again.close()
}

/** The links themselves: what they carry, hold in memory, and how fast they are missed and back. */
export const measure = (): Promise<void> =>
  links().finally(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
  })
