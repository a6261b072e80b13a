import { denied, inputNeeded } from '../errors.ts'
import { askWhether } from '../input/ask.ts'
import { again, type Invocation } from '../invocation.ts'
import { canAsk, data, note } from '../terminal.ts'
import { problemOf } from './host-problem.ts'

/** Removes what the package's removal leaves behind. */
export async function run(invocation: Invocation): Promise<void> {
  const [backups, setup] = [invocation.option('backups') === true, invocation.option('setup') === true]
  if (!backups && !setup)
    throw inputNeeded('Nothing was named to be removed', 'panel host purge --backups, panel host purge --setup')
  if (process.getuid?.() !== 0)
    throw denied(
      'Only root can remove what is on this machine.',
      `sudo panel host purge --${setup ? 'setup' : 'backups'}`,
    )
  const { SetupError } = await import('../../host/setup/main.ts')
  const explain = (error: unknown): never => {
    throw error instanceof SetupError ? problemOf(error) : error
  }
  if (setup) await purgeSetup(invocation).catch(explain)
  if (backups) await purgeAllBackups(invocation).catch(explain)
}

async function purgeSetup(invocation: Invocation): Promise<void> {
  const { takeSetupBack } = await import('../../host/setup/main.ts')
  const question = 'Stop the services that setup installed, and take its files back?'
  const agree = async (files: readonly string[]): Promise<boolean> => {
    for (const file of files) note(`  ${file}`)
    return agreed(invocation, question)
  }
  const done = await takeSetupBack(note, agree)
  note(done ? 'the changes of setup are undone; next: apt purge panel' : 'nothing was set up')
}

async function purgeAllBackups(invocation: Invocation): Promise<void> {
  const { purgeBackups, backupsFolder } = await import('../../host/setup/main.ts')
  const removed = await purgeBackups((count) =>
    agreed(
      invocation,
      `Remove ${backupsFolder}, with the backups of ${count} ${count === 1 ? 'account' : 'accounts'}?`,
    ),
  )
  if (removed.length === 0) return note('there are no backups')
  data(`${backupsFolder}\n`)
}

async function agreed(invocation: Invocation, question: string): Promise<boolean> {
  if (invocation.option('yes') === true) return true
  if (!canAsk()) throw inputNeeded('A confirmation is needed', `to skip the question: ${again(invocation, '--yes')}`)
  return askWhether(question)
}
