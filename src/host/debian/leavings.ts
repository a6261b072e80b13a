import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountName } from '../driver.ts'
import { logsTrash, trashDir } from '../home.ts'
import type { Plan } from '../install/plan.ts'
import type { Run } from './commands.ts'

const temporary = ['/tmp', '/var/tmp', '/dev/shm']
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
  const words = ['--recursive', '--no-dereference', `--from=${uid}`, '0:0', '--', ...there]
  await run('/usr/bin/chown', words, { stage: 'remove', timeout: longest })
}

/** Files that a user left where everybody may write. The agent has directories of its own there, so systemd does it. */
export async function clearTemporary(run: Run, { uid }: AccountName): Promise<void> {
  const find = ['/usr/bin/find', ...temporary, '-xdev', '-depth', '-uid', String(uid), '-delete']
  const words = ['--pipe', '--wait', '--collect', '--quiet', '--', ...find]
  await run('/usr/bin/systemd-run', words, { fine: [1], stage: 'remove', timeout: longest })
}
