import type { z } from 'zod'
import type { FtpSession as SessionView } from '../../contract/ftp.ts'
import type { FtpSession } from '../../host/contract/client.ts'
import type { LinkedHost } from '../../host/nodes/fleet/fleet.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { localNode } from '../../shared/node-name.ts'
import { minute } from '../../shared/time.ts'
import { accountById } from '../accounts/store.ts'
import { hostsOf } from '../host/host.ts'
import { answerOf } from '../host/unreachable-nodes.ts'
import { ftpAccountsOf, hasFtpAccounts, loginOf } from './store.ts'

/** By node. */
type Sessions = ReadonlyMap<string, readonly FtpSession[]>
const lastSeen = new WeakMap<Runtime, Sessions>()

/** Polls the sessions each minute. No job row, no event. */
export const watchSessions = (runtime: Runtime): Engine => ({
  stop: every(runtime, minute, 'sessions of FTP could not be listed', (signal) => look(runtime, signal)),
})

async function look(runtime: Runtime, signal: AbortSignal): Promise<void> {
  const hosts = hasFtpAccounts(runtime.store.db) ? hostsOf(runtime) : []
  try {
    lastSeen.set(runtime, new Map(await Promise.all(hosts.map((linked) => sessionsOn(runtime, linked, signal)))))
  } catch (error) {
    lastSeen.delete(runtime)
    if (!signal.aborted) throw error
  }
}

/** The directory driver has no FTP server, and unreachable agents are skipped. */
async function sessionsOn(runtime: Runtime, [node, host]: LinkedHost, signal: AbortSignal) {
  if (host.kind !== 'debian' || host.status.status === 'unreachable') return [node, []] as const
  const { answer } = await answerOf(runtime, { node, signal }, (ending) => host.ftpSessions({}, { signal: ending }))
  return [node, answer?.items ?? []] as const
}

/** The sessions of an account's logins at the last poll, oldest first: other nodes have no say in them. */
export function sessionsOf({ db, runtime }: Context, account: string): z.input<typeof SessionView>[] {
  const logins = new Set(ftpAccountsOf.all(db, account).map((row) => loginOf(db, row)))
  const ofNode = lastSeen.get(runtime)?.get(accountById(db, account)?.node ?? localNode) ?? []
  return ofNode
    .filter(({ login }) => logins.has(login))
    .map(({ login, address, protocol, since }) => ({ login, address, protocol, since_at: since }))
    .sort((one, other) => one.since_at - other.since_at)
}
