import type { z } from 'zod'
import type { FtpSession as SessionView } from '../../contract/ftp.ts'
import type { FtpSession, HostClient } from '../../host/contract/client.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { minute } from '../../shared/time.ts'
import { ftpAccountsOf, hasFtpAccounts, loginOf } from './store.ts'

const lastSeen = new WeakMap<Runtime, readonly FtpSession[]>()

/** Polls the sessions each minute. No job row, no event. */
export const watchSessions = (runtime: Runtime, host: HostClient): Engine => ({
  stop: every(runtime, minute, 'sessions of FTP could not be listed', (signal) => look(runtime, host, signal)),
})

/** The directory driver has no FTP server, and unreachable agents are skipped. */
const answers = ({ store }: Runtime, { kind, status }: HostClient): boolean =>
  kind === 'debian' && status.status !== 'unreachable' && hasFtpAccounts(store.db)

async function look(runtime: Runtime, host: HostClient, signal: AbortSignal): Promise<void> {
  try {
    lastSeen.set(runtime, answers(runtime, host) ? (await host.ftpSessions({}, { signal })).items : [])
  } catch (error) {
    lastSeen.delete(runtime)
    if (!signal.aborted) throw error
  }
}

/** The sessions of an account's logins at the last poll, oldest first. */
export function sessionsOf({ db, runtime }: Context, account: string): z.input<typeof SessionView>[] {
  const logins = new Set(ftpAccountsOf.all(db, account).map((row) => loginOf(db, row)))
  return (lastSeen.get(runtime) ?? [])
    .filter(({ login }) => logins.has(login))
    .map(({ login, address, protocol, since }) => ({ login, address, protocol, since_at: since }))
    .sort((one, other) => one.since_at - other.since_at)
}
