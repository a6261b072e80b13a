import type { NoticeKind } from '../../contract/notices.ts'
import type { Condition, FileSystem } from '../../host/contract/driver.ts'
import { day, minute } from '../../shared/time.ts'
import { fullAt, type Sample } from './filling.ts'
import type { DiskSample, MachineIssue } from './tables.ts'

const MAX_LOAD_PER_CPU = 2
const MIN_FREE_MEMORY_PCT = 5
const MAX_QUEUED = 1000
const MAX_DEFERRED = 100
const CLOCK_WARN_MS = 2_000
const CLOCK_ERROR_MS = 5 * minute
const FULL_WARN_MS = 14 * day
const FULL_ERROR_MS = 3 * day
const REPLICA_WARN_SECONDS = 300
const REPLICA_ERROR_SECONDS = 3600
/** Also of a file system that does not grow. */
const USED_WARN_PCT = 95
const USED_ERROR_PCT = 99
const MAX_NAMED = 5

type Severity = MachineIssue['severity']
export type Finding = Pick<MachineIssue, 'severity' | 'detail'>

/** How a machine is, by a clock that is right. */
export interface Looked {
  readonly condition: Condition
  readonly now: number
  /** Its file systems in the last days, oldest first. */
  readonly samples: readonly DiskSample[]
  /** How far its clock is off by the control plane's, in milliseconds. */
  readonly clockOffsetMs: number
  /** How old the second copy of the store is, on the panel's own machine and where one was set up. */
  readonly replicaAgeSeconds?: number | undefined
}

interface Rule {
  readonly kind: NoticeKind
  /** How long it must last before it is told: a load average covers its time already, and services restart. */
  readonly lastsMs: number
  /** The sentence has no numbers that change from minute to minute. */
  readonly find: (looked: Looked) => Finding | undefined
}

const warn = (detail: string): Finding => ({ severity: 'warn', detail })

const onlyIf = (is: boolean, finding: Finding): Finding | undefined => (is ? finding : undefined)

/** What can be wrong with a machine. */
export const rules: readonly Rule[] = [
  {
    kind: 'load-high',
    lastsMs: 0,
    find: ({ condition: { load, cpus } }) =>
      onlyIf(
        load > MAX_LOAD_PER_CPU * 100 * cpus,
        warn('More than two processes for each CPU wanted to run for 15 minutes.'),
      ),
  },
  {
    kind: 'memory-low',
    lastsMs: 5 * minute,
    find: ({ condition: { memoryMb, availableMb } }) =>
      onlyIf(
        availableMb * 100 < memoryMb * MIN_FREE_MEMORY_PCT,
        warn(`Less than ${MIN_FREE_MEMORY_PCT} % of the memory is free.`),
      ),
  },
  { kind: 'disk-filling', lastsMs: 0, find: (looked) => filling(looked, ofBytes) },
  { kind: 'inodes-filling', lastsMs: 0, find: (looked) => filling(looked, ofInodes) },
  {
    kind: 'service-down',
    lastsMs: 2 * minute,
    find: ({ condition: { stopped } }) =>
      onlyIf(stopped.length > 0, {
        severity: 'error',
        detail: `Not running: ${named(stopped.map(({ name, unit, state }) => `${name} (${unit} is ${state})`))}.`,
      }),
  },
  {
    kind: 'mail-queue-large',
    lastsMs: 15 * minute,
    find: ({ condition: { queuedMail = 0 } }) =>
      onlyIf(queuedMail > MAX_QUEUED, warn(`Over ${MAX_QUEUED} messages wait in the mail queue.`)),
  },
  {
    kind: 'mail-deferred',
    lastsMs: 30 * minute,
    find: ({ condition: { deferredMail = 0 } }) =>
      onlyIf(deferredMail > MAX_DEFERRED, warn(`Over ${MAX_DEFERRED} messages could not be delivered yet.`)),
  },
  { kind: 'clock-off', lastsMs: 2 * minute, find: clockOff },
  {
    kind: 'disk-failing',
    lastsMs: 0,
    find: ({ condition: { failingDisks } }) =>
      onlyIf(failingDisks.length > 0, {
        severity: 'error',
        detail: named(
          failingDisks.map(({ device, reason }) => `${device}: ${reason}`),
          ' ',
        ),
      }),
  },
  {
    kind: 'reboot-needed',
    lastsMs: 0,
    find: ({ condition: { rebootReason } }) => (rebootReason === undefined ? undefined : warn(rebootReason)),
  },
  { kind: 'replica-behind', lastsMs: 0, find: replicaBehind },
]

/** The first few; a node may claim any number. */
const named = (all: readonly string[], between = ', '): string =>
  all.length <= MAX_NAMED
    ? all.join(between)
    : `${all.slice(0, MAX_NAMED).join(between)}${between}and ${all.length - MAX_NAMED} more`

function clockOff({ condition, clockOffsetMs }: Looked): Finding | undefined {
  const off = Math.max(clockOffsetMs, condition.clockOffsetMs ?? 0)
  if (off > CLOCK_ERROR_MS) return { severity: 'error', detail: 'The clock is more than 5 minutes off.' }
  return onlyIf(off > CLOCK_WARN_MS, warn('The clock is more than 2 seconds off.'))
}

function replicaBehind({ replicaAgeSeconds = 0 }: Looked): Finding | undefined {
  const behind = (time: string) => `Nothing new has reached the second copy of the store for ${time}.`
  if (replicaAgeSeconds > REPLICA_ERROR_SECONDS) return { severity: 'error', detail: behind('more than an hour') }
  return onlyIf(replicaAgeSeconds > REPLICA_WARN_SECONDS, warn(behind('more than 5 minutes')))
}

interface Measure {
  readonly what: string
  readonly used: (of: FileSystem) => number
  readonly total: (of: FileSystem) => number
  readonly sample: (of: DiskSample) => number
}

const ofBytes: Measure = {
  what: 'full',
  used: ({ usedMb }) => usedMb,
  total: ({ totalMb }) => totalMb,
  sample: ({ used_mb }) => used_mb,
}
const ofInodes: Measure = {
  what: 'out of inodes',
  used: ({ usedInodes }) => usedInodes,
  total: ({ inodes }) => inodes,
  sample: ({ used_inodes }) => used_inodes,
}

const weight = { warn: 0, error: 1 } as const

/** Of the file systems that are nearly full, or will be soon. */
function filling({ condition, now, samples }: Looked, measure: Measure): Finding | undefined {
  const found = condition.fileSystems.flatMap((one) => {
    const own = samples
      .filter(({ path }) => path === one.path)
      .map((sample) => ({ at: sample.at, used: measure.sample(sample) }))
    return fillingOne(one, now, own, measure) ?? []
  })
  if (found.length === 0) return undefined
  const severity = found.map((one) => one.severity).reduce((worst, one) => (weight[one] > weight[worst] ? one : worst))
  return {
    severity,
    detail: named(
      found.map(({ detail }) => detail),
      ' ',
    ),
  }
}

function fillingOne(one: FileSystem, now: number, samples: readonly Sample[], measure: Measure): Finding | undefined {
  const [used, total] = [measure.used(one), measure.total(one)]
  if (total === 0) return undefined
  const full = fullAt([...samples, { at: now, used }], total)
  const severity = severityOf(full === undefined ? Number.POSITIVE_INFINITY : full - now, (used * 100) / total)
  if (!severity) return undefined
  const usedPct = (used * 100) / total
  const nearly = usedPct >= USED_WARN_PCT ? `${one.path} is nearly ${measure.what}` : undefined
  const date = full !== undefined && full - now < FULL_WARN_MS ? new Date(full).toISOString().slice(0, 10) : undefined
  if (date === undefined) return { severity, detail: `${nearly}.` }
  return {
    severity,
    detail: `${nearly ? `${nearly}, ` : `${one.path} will be ${measure.what} `}on ${date} if it goes on growing as it has.`,
  }
}

function severityOf(leftMs: number, usedPct: number): Severity | undefined {
  if (leftMs < FULL_ERROR_MS || usedPct >= USED_ERROR_PCT) return 'error'
  return leftMs < FULL_WARN_MS || usedPct >= USED_WARN_PCT ? 'warn' : undefined
}
