import type { AccountState } from '../contract/driver.ts'
import type { Plan } from '../install/plan.ts'
import type { Run } from './commands.ts'

const systemctl = '/usr/bin/systemctl'

/** Ends an account's sessions if any of its keys was revoked. */
export async function endSessions(run: Run, { username, uid }: AccountState, plans: readonly Plan[]): Promise<void> {
  const keys = `etc/panel/ssh/keys/${username}`
  const isOff = plans.some(({ changes }) => changes.some(({ path, write }) => path === keys && !write))
  if (isOff) await endAllSessions(run, uid)
}

/** Kills the whole slice at once: a fork loop outruns killing processes one by one. */
export async function endAllSessions(run: Run, uid: number): Promise<void> {
  const slice = `user-${uid}.slice`
  await run(systemctl, ['kill', '--kill-whom=all', '--signal=KILL', slice], { fine: [1, 5] })
  await run(systemctl, ['stop', slice], { fine: [1, 5] })
  await forgetManager(run, uid)
}

/** logind keeps a user for a while after its last session, but must forget a deleted one. */
export const forgetLogins = async (run: Run, uid: number): Promise<void> =>
  void (await run('/usr/bin/loginctl', ['terminate-user', String(uid)], { fine: [1] }))

/** The user's own systemd was killed on purpose: it must not count as a failure. */
export const forgetManager = async (run: Run, uid: number): Promise<void> =>
  void (await run(systemctl, ['reset-failed', `user@${uid}.service`], { fine: [1, 5] }))
