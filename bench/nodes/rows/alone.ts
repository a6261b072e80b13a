import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inTurn, ratioOf } from '../../compare.ts'
import { median } from '../../figures.ts'
import { load } from '../../load/load.ts'
import { ask, bin, newDirectory } from '../../panel.ts'
import { childrenOf, memoryOf, startServer } from '../../server.ts'
import { say } from '../figures.ts'
import type { Sizes } from '../sizes.ts'

const rounds = 5
const settle = 2_000
const root = fileURLToPath(new URL('../../..', import.meta.url))
const serve = ['--host', '127.0.0.1', '--port', '0', '--hostname', 'localhost', '--no-tls']

interface Taken {
  readonly startup: number
  readonly memory: number
  readonly ports: number
  readonly reads: number
  readonly creates: number
}

/** What nodes cost who has none: this panel beside the one before there were nodes, whole processes in turn. */
export async function measure({ before }: Sizes): Promise<void> {
  const folder = join(newDirectory(), 'before')
  execFileSync('git', ['-C', root, 'worktree', 'add', '--detach', '--quiet', folder, before])
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    execFileSync(process.execPath, ['build.js'], { cwd: folder, stdio: 'ignore' })
    const taken = await inTurn({ now: () => take(bin), before: () => take(join(folder, 'bin/panel.js')) }, rounds)
    const figures = (name: string, what: keyof Taken): number[] => taken[name]!.map((one) => one[what])
    const compared = (what: keyof Taken, text: string, unit: string, bound: { max?: number; least?: number }): void => {
      say(text, median(figures('now', what)), unit)
      say('  beside before there were nodes', ratioOf(figures('now', what), figures('before', what)), 'times', bound)
    }
    compared('startup', 'start-up', 'ms', { max: 1.1 })
    compared('memory', 'memory, idle', 'MB', { max: 1.1 })
    compared('reads', 'an account by id', '/s', { least: 0.9 })
    compared('creates', 'accounts created', '/s', { least: 0.9 })
    say('ports that are open', median(figures('now', 'ports')), 'ports', { max: median(figures('before', 'ports')) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
    execFileSync('git', ['-C', root, 'worktree', 'prune'])
  }
}

async function take(program: string): Promise<Taken> {
  const dataDir = newDirectory()
  const server = await startServer([program, 'serve', '--data-dir', dataDir, ...serve])
  try {
    const token = (await ask(dataDir, 'POST', '/tokens', { name: 'bench', scopes: ['full-access'] })).secret
    const { account } = await ask(dataDir, 'POST', '/accounts', { username: 'alone', domain: 'alone.example' })
    await new Promise((resolve) => setTimeout(resolve, settle))
    const [memory, ports] = [memoryOf(server.pid).now, portsOf(server.pid)]
    const reads = await load({ url: `${server.url}/accounts/${account.id}`, token })
    const creates = await load({ url: `${server.url}/accounts`, token, createFrom: 1, seconds: 1 })
    return { startup: server.startup, memory, ports, reads: reads.perSecond, creates: creates.perSecond }
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Where it and its children listen by TCP. */
function portsOf(pid: number): number {
  const sockets = new Set([pid, ...childrenOf(pid)].flatMap(socketsOf))
  const lines = ['tcp', 'tcp6'].flatMap((file) => readFileSync(`/proc/net/${file}`, 'utf8').split('\n'))
  const listening = lines.map((line) => line.trim().split(/\s+/)).filter(([, , , state]) => state === '0A')
  return listening.filter((fields) => sockets.has(fields[9]!)).length
}

const socketsOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
    } catch {
      return []
    }
  })
