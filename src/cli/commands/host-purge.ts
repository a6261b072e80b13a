import { denied, inputNeeded } from '../errors.ts'
import { askWhether } from '../input/ask.ts'
import { again, type Invocation } from '../invocation.ts'
import { canAsk, data, note } from '../terminal.ts'
import { problemOf } from './host-problem.ts'

/** Takes away what the removal of the package leaves. */
export async function run(invocation: Invocation): Promise<void> {
  if (invocation.option('backups') !== true)
    throw inputNeeded('Nothing was named to be removed', 'panel host purge --backups')
  if (process.getuid?.() !== 0) throw denied('Only root can remove the backups.', 'sudo panel host purge --backups')
  const { purgeBackups, backupsFolder, SetupError } = await import('../../host/setup/main.ts')
  const agree = async (count: number): Promise<boolean> => {
    if (invocation.option('yes') === true) return true
    if (!canAsk()) throw inputNeeded('A confirmation is needed', `to skip the question: ${again(invocation, '--yes')}`)
    return askWhether(`Remove ${backupsFolder}, with the backups of ${count} ${count === 1 ? 'account' : 'accounts'}?`)
  }
  const removed = await purgeBackups(agree).catch((error: unknown) => {
    throw error instanceof SetupError ? problemOf(error) : error
  })
  if (removed.length === 0) return note('there are no backups')
  data(`${backupsFolder}\n`)
}
