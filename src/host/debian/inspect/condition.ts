import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Condition, FileSystem } from '../../contract/commands/condition.ts'
import type { Run } from '../commands.ts'
import { closedAccounts, machinePlaces } from '../db/full-disk.ts'
import { deferredMail, queuedMail } from '../mail/waiting.ts'
import type { Suite } from '../suite.ts'
import type { DiskReports } from './disk-reports.ts'
import { rebootReason } from './reboot.ts'
import { inspectServices, isDown } from './services.ts'

interface Places {
  readonly run: Run
  readonly suite: Suite
  readonly disks: DiskReports
  /** Postfix's queue. */
  readonly queue: string
  readonly root?: string
}

/** Looks at this machine: its load, memory, file systems, services, queue, clock and disks. */
export async function conditionOf({ run, suite, disks, queue, root = '/' }: Places): Promise<Condition> {
  const [services, clock, queued, deferred] = await Promise.all([
    inspectServices(run, suite, root),
    clockOffset(run, root),
    queuedMail(join(root, queue)),
    deferredMail(join(root, queue)),
  ])
  const reason = rebootReason(root)
  return {
    now: Date.now(),
    cpus: availableParallelism(),
    load: loadIn(await readFile(join(root, 'proc/loadavg'), 'utf8')),
    ...memoryIn(await readFile(join(root, 'proc/meminfo'), 'utf8')),
    fileSystems: fileSystems(root),
    stopped: services.flatMap((one) => (isDown(one) ? { name: one.name, unit: one.unit!, state: one.state! } : [])),
    ...(queued !== undefined && { queuedMail: queued, deferredMail: deferred }),
    ...(clock !== undefined && { clockOffsetMs: clock }),
    ...(reason !== undefined && { rebootReason: reason }),
    failingDisks: await disks.failing(),
    readOnlyDatabases: closedAccounts(join(root, machinePlaces.closed)).slice(0, MAX_READ_ONLY),
  }
}

const MAX_READ_ONLY = 1000

const loadIn = (loadavg: string): number => Math.round(Number(loadavg.split(' ')[2]) * 100)

function memoryIn(meminfo: string): Pick<Condition, 'memoryMb' | 'availableMb'> {
  const mb = (name: string) =>
    Math.floor(Number(new RegExp(`^${name}: *(\\d+) kB$`, 'm').exec(meminfo)?.[1] ?? 0) / 1024)
  return { memoryMb: mb('MemTotal'), availableMb: mb('MemAvailable') }
}

/** Of this machine's own disks: another's could keep the agent waiting. */
const onDisks: ReadonlySet<string> = new Set(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'f2fs', 'zfs', 'jfs', 'reiserfs'])
const MAX_FILE_SYSTEMS = 100

/** Each once, at its shortest path. */
function fileSystems(root: string): FileSystem[] {
  const found = new Map<string, string>()
  for (const line of readFileSync(join(root, 'proc/self/mountinfo'), 'utf8').split('\n')) {
    const words = line.split(' ')
    const [device = '', point = ''] = [words[2], unescaped(words[4] ?? '')]
    if (!onDisks.has(words[words.indexOf('-') + 1] ?? '')) continue
    if (point.length < (found.get(device)?.length ?? Number.POSITIVE_INFINITY)) found.set(device, point)
  }
  return [...found.values()].slice(0, MAX_FILE_SYSTEMS).flatMap((path) => sizesOf(root, path) ?? [])
}

/** Space, tab, line feed and backslash are octal in the kernel's table. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)))

function sizesOf(root: string, path: string): FileSystem | undefined {
  if (!existsSync(join(root, path))) return undefined
  const { blocks, bfree, bavail, bsize, files, ffree } = statfsSync(join(root, path))
  const mb = (count: number) => Math.round((count * bsize) / 1024 / 1024)
  const used = blocks - bfree
  return { path, usedMb: mb(used), totalMb: mb(used + bavail), usedInodes: files - ffree, inodes: files }
}

const chronyc = 'usr/bin/chronyc'
/** The fifth field: how many seconds the clock is off by the time servers. */
const SYSTEM_TIME = 4

/** Only chrony tells it. */
async function clockOffset(run: Run, root: string): Promise<number | undefined> {
  if (!existsSync(join(root, chronyc))) return undefined
  const output = await run(`/${chronyc}`, ['-c', 'tracking'], { timeout: 5_000 }).catch(() => '')
  const seconds = Number(output.split(',')[SYSTEM_TIME] || Number.NaN)
  return Number.isFinite(seconds) ? Math.round(Math.abs(seconds) * 1000) : undefined
}
