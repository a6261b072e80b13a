import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename } from 'node:path'
import type { Inspection, Unenforced } from '../../contract/commands/state.ts'

const controllers = { cpu: 'cpu', memory: 'memory', tasks: 'pids', io: 'io' } as const

export const cgroupVersion = (root = '/'): Inspection['cgroup'] => {
  if (existsSync(`${root}sys/fs/cgroup/cgroup.controllers`)) return 2
  return existsSync(`${root}sys/fs/cgroup/memory`) ? 1 : 0
}

interface Mount {
  readonly point: string
  readonly type: string
  readonly source: string
  readonly options: readonly string[]
}

/** The mount that contains a directory: its type, and its file system's options. */
function mountOf(directory: string, root: string): Mount | undefined {
  const found = readFileSync(`${root}proc/self/mountinfo`, 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , , , point]) => point === directory || point === '/')
    .toSorted((one, other) => (one[4] ?? '').length - (other[4] ?? '').length)
    .at(-1)
  const behind = found?.slice(found.indexOf('-') + 1)
  return (
    behind && {
      point: found?.[4] ?? '/',
      type: behind[0] ?? '',
      source: behind[1] ?? '',
      options: (behind[2] ?? '').split(','),
    }
  )
}

export const homeFileSystem = (root = '/'): string | undefined => mountOf('/home', root)?.type
export const homeMount = (root = '/'): string | undefined => mountOf('/home', root)?.point

const quotaOptions: Readonly<Record<string, RegExp>> = {
  // The file system's feature alone enforces nothing: it must be mounted with the option.
  ext4: /^(usrquota|usrjquota=.+)$/,
  xfs: /^(usrquota|uquota|quota)$/,
}

/** Whether the homes' file system enforces quotas. */
export function quotaKind(root = '/'): Inspection['quota'] {
  const mount = mountOf('/home', root)
  if (mount?.type === 'btrfs') return hasQuotaGroups(mount.source, root) ? 'btrfs' : 'none'
  const request = mount && quotaOptions[mount.type]
  return request && mount.options.some((option) => request.test(option)) ? (mount.type as 'ext4' | 'xfs') : 'none'
}

/** For the file system on this device; for any if the device is unknown. */
function hasQuotaGroups(source: string, root: string): boolean {
  const all = `${root}sys/fs/btrfs`
  if (!existsSync(all)) return false
  const device = basename(existsSync(source) ? realpathSync(source) : source)
  const known = readdirSync(all)
  const own = known.filter((one) => existsSync(`${all}/${one}/devices/${device}`))
  return (own.length > 0 ? own : known).some((one) => existsSync(`${all}/${one}/qgroups`))
}

/** The kinds of limits that this machine does not enforce, and why. */
export function unenforced(root = '/'): Unenforced[] {
  return [...unboundGroups(root), ...unboundDisk(quotaKind(root))]
}

function unboundGroups(root: string): Unenforced[] {
  const version = cgroupVersion(root)
  if (version === 2) {
    const there = readFileSync(`${root}sys/fs/cgroup/cgroup.controllers`, 'utf8').trim().split(' ')
    return Object.entries(controllers)
      .filter(([, controller]) => !there.includes(controller))
      .map(([kind, controller]) => ({
        kind: kind as Unenforced['kind'],
        reason: `The kernel has no ${controller} controller for control groups.`,
      }))
  }
  const unbound = (['cpu', 'memory', 'tasks'] as const)
    .filter((kind) => !existsSync(`${root}sys/fs/cgroup/${controllers[kind]}`))
    .map((kind) => ({ kind, reason: `The kernel has no ${controllers[kind]} controller for control groups.` }))
  const io = { kind: 'io', reason: 'Control groups of version 1 do not limit writes that the kernel buffers.' } as const
  return [...unbound, io]
}

function unboundDisk(quota: Inspection['quota']): Unenforced[] {
  const reason = 'The file system of /home has no quotas: use is measured, and only what goes through panel is refused.'
  if (quota === 'none')
    return [
      { kind: 'disk', reason },
      { kind: 'inodes', reason },
    ]
  return quota === 'btrfs' ? [{ kind: 'inodes', reason: 'btrfs does not limit the number of files.' }] : []
}
