import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { HostError } from '../../contract/error.ts'
import type { Run } from '../commands.ts'
import { sliceOf } from '../sandbox.ts'
import type { Tenant } from './pool.ts'

const busctl = '/usr/bin/busctl'
const manager = ['org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager']
/** Ten times that of the tenant's own units: they do not slow down what works for root. */
const CPU_WEIGHT = 1_000
const MOVE_TIMEOUT_MS = 10_000
const LOOK_INTERVAL_MS = 2

/** The units of processes that work in homes; a username has no hyphen. */
export const allWorkUnits = 'panel-work-*.scope'

/** Exported for tests: busctl's arguments to put a process into a unit of the tenant's slice. */
export const scopeWords = (pid: number, username: string, name: string): string[] => [
  ...['--quiet', 'call', ...manager, 'StartTransientUnit', 'ssa(sv)a(sa(sv))', name, 'fail', '5'],
  ...['Description', 's', `Work in the home of ${username}`],
  ...['Slice', 's', sliceOf(username)],
  ...['PIDs', 'au', '1', String(pid)],
  ...['CPUWeight', 't', String(CPU_WEIGHT)],
  ...['CollectMode', 's', 'inactive-or-failed'],
  '0',
]

/** Moves a process that still has root's rights into its tenant's slice, whose limits then apply to it. */
export async function enterSlice(run: Run, pid: number, { username }: Tenant): Promise<void> {
  const name = `panel-work-${username}-${randomBytes(4).toString('hex')}.scope`
  await run(busctl, scopeWords(pid, username, name), { stage: 'stage' })
  const end = performance.now() + MOVE_TIMEOUT_MS
  while (!readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`/${name}`)) {
    if (performance.now() > end)
      throw new HostError('stage', `systemd did not move a process to the slice of ${username}.`)
    await pause(LOOK_INTERVAL_MS)
  }
}
