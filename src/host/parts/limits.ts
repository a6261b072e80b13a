import { complete, fields, optional } from '../contract/fields.ts'
import { part } from './part.ts'
import { type FileSpec, systemDir, systemFile } from './spec.ts'

/** Sizes in MB, bandwidth per month; unlimited if absent, but see `sliceProperties`. */
export interface LimitsState {
  readonly diskMb?: number | undefined
  readonly inodes?: number | undefined
  readonly bandwidthMb?: number | undefined
  readonly phpChildren?: number | undefined
  readonly emailsPerHour?: number | undefined
  /** Percent of one core. */
  readonly cpuPercent?: number | undefined
  readonly memoryMb?: number | undefined
  readonly processes?: number | undefined
  /** MB per second. */
  readonly ioMbps?: number | undefined
  /** Disk operations per second. */
  readonly iops?: number | undefined
}

const limit = optional(complete(0, 2 ** 40))
const visible = (value: number | undefined) => (value === undefined ? 'unlimited' : String(value))

const units = 'etc/systemd/system'
const dropIn = '50-panel.conf'

/** The slices of the account's processes, except those of its sessions, which systemd places elsewhere. */
export const slicesOf = ({ username, uid }: { readonly username: string; readonly uid: number }): string[] => [
  `panel-${username}.slice`,
  `user-${uid}.slice`,
]

/**
 * What a slice may take where the package names no limit: generous, but never the whole machine. A quota of CPU also
 * makes the kernel share the CPU between slices, however many processes each has.
 */
const DEFAULT_CPU_PERCENT = 100
/** Of the machine's: an account has two slices, so it has half at most. */
const DEFAULT_MEMORY = '25%'
/** Threads count, too. */
const DEFAULT_TASKS = 200

/** All limits of a slice. 0 would let nothing run, so it becomes the minimum that does. */
export function sliceProperties(state: LimitsState): [string, string][] {
  const { cpuPercent = DEFAULT_CPU_PERCENT, memoryMb, processes = DEFAULT_TASKS, ioMbps, iops } = state
  const of = (value: number | undefined, text: (value: number) => string): string =>
    value === undefined ? '' : text(Math.max(1, value))
  const each = (names: readonly string[], value: string): [string, string][] => names.map((name) => [name, value])
  return [
    ['CPUQuota', of(cpuPercent, (value) => `${value}%`)],
    ['MemoryMax', of(memoryMb, (value) => `${value}M`) || DEFAULT_MEMORY],
    ['TasksMax', of(processes, String)],
    ...each(
      ['IOReadBandwidthMax', 'IOWriteBandwidthMax'],
      of(ioMbps, (value) => `/home ${value}M`),
    ),
    ...each(
      ['IOReadIOPSMax', 'IOWriteIOPSMax'],
      of(iops, (value) => `/home ${value}`),
    ),
  ]
}

const isSet = ([, value]: readonly [string, string]): boolean => value !== ''

function sliceFiles(slices: readonly string[], state: LimitsState): FileSpec[] {
  const lines = sliceProperties(state).filter(isSet)
  const text = ['[Slice]', ...lines.map(([name, value]) => `${name}=${value}`)]
  return slices.map((slice) => systemFile(`${units}/${slice}.d/${dropIn}`, 0o644, text))
}

/** The account's limits: for quotas and the mail policy service, and for the slices that hold its processes. */
export const limits = part({
  name: 'limits',
  dirs: [
    systemDir('etc/panel/limits.d', 0o700),
    ...['etc/systemd', 'etc/systemd/system'].map((path) => systemDir(path, 0o755)),
  ],
  check: fields<LimitsState>(
    {
      diskMb: limit,
      inodes: limit,
      bandwidthMb: limit,
      phpChildren: limit,
      emailsPerHour: limit,
      cpuPercent: limit,
      memoryMb: limit,
      processes: limit,
      ioMbps: limit,
      iops: limit,
    },
    'limits',
  ),
  render(core, state) {
    const lines = [
      `disk_mb=${visible(state.diskMb)}`,
      `inodes=${visible(state.inodes)}`,
      `bandwidth_mb=${visible(state.bandwidthMb)}`,
      `php_children=${visible(state.phpChildren)}`,
      `emails_per_hour=${visible(state.emailsPerHour)}`,
    ]
    const slices = sliceFiles(slicesOf(core), state)
    const dirs = slices.map(({ path }) => ({
      ...systemDir(path.slice(0, path.lastIndexOf('/')), 0o755),
      border: false,
    }))
    return { dirs, files: [systemFile(`etc/panel/limits.d/${core.username}`, 0o644, lines), ...slices] }
  },
})
