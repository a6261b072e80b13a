import type { AccountState } from '../driver.ts'
import type { Plan } from '../install/plan.ts'
import type { Run } from './commands.ts'

const systemctl = '/usr/bin/systemctl'

/** Ends the sessions of an account whose keys open none any more. */
export async function endSessions(run: Run, { username, uid }: AccountState, plans: readonly Plan[]): Promise<void> {
  const keys = `etc/panel/ssh/keys/${username}`
  const isOff = plans.some(({ changes }) => changes.some(({ path, write }) => path === keys && !write))
  if (isOff) await endAllSessions(run, uid)
}

/** As a whole: programs that start others all the time are ahead of who ends them one by one. */
export async function endAllSessions(run: Run, uid: number): Promise<void> {
  const slice = `user-${uid}.slice`
  await run(systemctl, ['kill', '--kill-whom=all', '--signal=KILL', slice], { fine: [1, 5] })
  await run(systemctl, ['stop', slice], { fine: [1, 5] })
  await forgetManager(run, uid)
}

/** logind keeps a user for a while after its last session; what it keeps is gone with the user. */
export const forgetLogins = async (run: Run, uid: number): Promise<void> =>
  void (await run('/usr/bin/loginctl', ['terminate-user', String(uid)], { fine: [1] }))

/** The user's own systemd was killed on purpose: the machine has not failed. */
export const forgetManager = async (run: Run, uid: number): Promise<void> =>
  void (await run(systemctl, ['reset-failed', `user@${uid}.service`], { fine: [1, 5] }))
