import { join } from 'node:path'
import type { AccountName } from '../contract/driver.ts'
import type { Run } from './commands.ts'
import { textOf } from './fragments.ts'

const temporary = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock', '/var/lib/php/sessions']
const MAX_WAIT_MS = 3_600_000

/** Files that a user left in world-writable directories. The agent has private ones, so systemd does it. */
export async function clearTemporary(run: Run, { uid }: AccountName): Promise<void> {
  const find = ['/usr/bin/find', ...temporary, '-xdev', '-depth', '-uid', String(uid), '-delete']
  const words = ['--pipe', '--wait', '--collect', '--quiet', '--', ...find]
  await run('/usr/bin/systemd-run', words, { fine: [1], stage: 'remove', timeout: MAX_WAIT_MS })
  await clearMemory(run, uid)
}

/** System V IPC: the name of each kind, the kernel's list, and its owner column. */
const kinds = [
  { option: '-m', list: 'shm', uid: 7 },
  { option: '-q', list: 'msg', uid: 7 },
  { option: '-s', list: 'sem', uid: 4 },
] as const

/** A user's shared memory, queues and semaphores outlive their programs. */
export async function clearMemory(run: Run, uid: number, proc = '/proc/sysvipc'): Promise<void> {
  const words = kinds.flatMap(({ option, ...kind }) => idsOf(kind, uid, proc).flatMap((id) => [option, id]))
  if (words.length > 0) await run('/usr/bin/ipcrm', words, { stage: 'remove' })
}

function idsOf({ list, uid: column }: { readonly list: string; readonly uid: number }, uid: number, proc: string) {
  const lines = (textOf(join(proc, list)) ?? '').split('\n').slice(1)
  const rows = lines.map((line) => line.trim().split(/\s+/))
  return rows.filter((row) => row[column] === String(uid)).map((row) => row[1]!)
}
