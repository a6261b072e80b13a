import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountName } from '../driver.ts'
import { logsTrash, trashDir } from '../home.ts'
import type { Plan } from '../install/plan.ts'
import type { Run } from './commands.ts'
import { textOf } from './fragments.ts'

const temporary = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock', '/var/lib/php/sessions']
const longest = 3_600_000

/** What enters the trash becomes root's: it counts against no account's quota, and the next owner of the uid cannot read it. */
export async function takeOver(run: Run, uid: number, plans: readonly Plan[]): Promise<void> {
  const entered = plans.flatMap(({ moves }) => moves.map(({ to }) => `/${to}`)).filter(isTrash)
  await own(run, uid, entered)
}

/** The same of all that is in it of an account, also from an attempt that was cut short. */
export async function takeOverAll(run: Run, { id, uid }: AccountName): Promise<void> {
  const entries = [trashDir, logsTrash].flatMap((dir) => {
    const names = existsSync(`/${dir}`) ? readdirSync(`/${dir}`) : []
    return names.filter((name) => name.includes(id)).map((name) => join('/', dir, name))
  })
  await own(run, uid, entries)
}

const isTrash = (path: string): boolean => path.startsWith(`/${trashDir}/`) || path.startsWith(`/${logsTrash}/`)

/** Only root can enter the directory, so nothing can be put in the way below it. */
async function own(run: Run, uid: number, paths: readonly string[]): Promise<void> {
  const there = paths.filter((path) => existsSync(path))
  if (there.length === 0) return
  // Logs are root's, of the account's group.
  for (const from of [`${uid}`, `:${uid}`]) {
    const words = ['--recursive', '--no-dereference', `--from=${from}`, '0:0', '--', ...there]
    await run('/usr/bin/chown', words, { stage: 'remove', timeout: longest })
  }
}

/** What a user left where everybody may write. The agent has directories of its own there, so systemd does it. */
export async function clearTemporary(run: Run, { uid }: AccountName): Promise<void> {
  const find = ['/usr/bin/find', ...temporary, '-xdev', '-depth', '-uid', String(uid), '-delete']
  const words = ['--pipe', '--wait', '--collect', '--quiet', '--', ...find]
  await run('/usr/bin/systemd-run', words, { fine: [1], stage: 'remove', timeout: longest })
  await clearMemory(run, uid)
}

/** Of the three kinds of System V: what names one kind, where the kernel lists it, and the column of its owner. */
const kinds = [
  { option: '-m', list: 'shm', uid: 7 },
  { option: '-q', list: 'msg', uid: 7 },
  { option: '-s', list: 'sem', uid: 4 },
] as const

/** Memory, queues and semaphores that a user's programs shared outlive them. */
export async function clearMemory(run: Run, uid: number, proc = '/proc/sysvipc'): Promise<void> {
  const words = kinds.flatMap(({ option, ...kind }) => idsOf(kind, uid, proc).flatMap((id) => [option, id]))
  if (words.length > 0) await run('/usr/bin/ipcrm', words, { stage: 'remove' })
}

function idsOf({ list, uid: column }: { readonly list: string; readonly uid: number }, uid: number, proc: string) {
  const lines = (textOf(join(proc, list)) ?? '').split('\n').slice(1)
  const rows = lines.map((line) => line.trim().split(/\s+/))
  return rows.filter((row) => row[column] === String(uid)).map((row) => row[1]!)
}
