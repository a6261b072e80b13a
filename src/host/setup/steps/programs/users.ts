import { type ProgramName, programNames } from '../../../contract/programs.ts'
import { programPlaces } from '../../../debian/programs/places.ts'
import type { Choice, Do, Facts, SetupStep } from '../../step.ts'

export const choiceOf: Readonly<Record<ProgramName, Choice>> = { phpmyadmin: 'mysql', webmail: 'mail' }

const nobody = [
  '--system',
  '--user-group',
  '--no-create-home',
  '--home-dir',
  '/nonexistent',
  '--shell',
  '/usr/sbin/nologin',
]

async function ensureUsers(run: Do, { without }: Facts): Promise<boolean> {
  let made = false
  for (const program of programNames.filter((one) => !without.has(choiceOf[one]))) {
    const { user } = programPlaces[program]
    if (await run('/usr/bin/getent', ['passwd', user]).catch(() => '')) continue
    await run('/usr/sbin/useradd', [...nobody, user])
    made = true
  }
  return made
}

async function removeUsers(run: Do): Promise<void> {
  for (const program of programNames) await run('/usr/sbin/userdel', [programPlaces[program].user]).catch(() => {})
}

/** The users that programs run as, created before their files. */
export const programUsers: SetupStep = {
  name: 'program-users',
  packages: () => [],
  prepare: ensureUsers,
  undo: removeUsers,
}
