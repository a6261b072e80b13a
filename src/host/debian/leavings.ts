import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountName } from '../driver.ts'
import { logsTrash, trashDir } from '../home.ts'
import type { Plan } from '../install/plan.ts'
import type { Run } from './commands.ts'
import { textOf } from './fragments.ts'

const temporary = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock', '/var/lib/php/sessions']
const longest = 3_600_000

/**
 * Chowns what enters the trash to root: it counts against no account's quota, and the next owner of the uid cannot read
 * it.
 */
export async function takeOver(run: Run, uid: number, plans: readonly Plan[]): Promise<void> {
  const entered = plans.flatMap(({ moves }) => moves.map(({ to }) => `/${to}`)).filter(isTrash)
  await own(run, uid, entered)
}

/** The same for everything of the account in the trash, including leftovers of an interrupted attempt. */
export async function takeOverAll(run: Run, { id, uid }: AccountName): Promise<void> {
  const entries = [trashDir, logsTrash].flatMap((dir) => {
    const names = existsSync(`/${dir}`) ? readdirSync(`/${dir}`) : []
    return names.filter((name) => name.includes(id)).map((name) => join('/', dir, name))
  })
  await own(run, uid, entries)
}

const isTrash = (path: string): boolean => path.startsWith(`/${trashDir}/`) || path.startsWith(`/${logsTrash}/`)

/** Only root can enter the directory, so no other user can interfere below it. */
async function own(run: Run, uid: number, paths: readonly string[]): Promise<void> {
  const there = paths.filter((path) => existsSync(path))
  if (there.length === 0) return
  // Logs belong to root and the account's group.
  for (const from of [`${uid}`, `:${uid}`]) {
    const words = ['--recursive', '--no-dereference', `--from=${from}`, '0:0', '--', ...there]
    await run('/usr/bin/chown', words, { stage: 'remove', timeout: longest })
  }
}

/** Files that a user left in world-writable directories. The agent has private ones, so systemd does it. */
export async function clearTemporary(run: Run, { uid }: AccountName): Promise<void> {
  const find = ['/usr/bin/find', ...temporary, '-xdev', '-depth', '-uid', String(uid), '-delete']
  const words = ['--pipe', '--wait', '--collect', '--quiet', '--', ...find]
  await run('/usr/bin/systemd-run', words, { fine: [1], stage: 'remove', timeout: longest })
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
