import { inArray } from 'drizzle-orm'
import { type Outgoing, OutgoingError } from '../../../outgoing/client.ts'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { every } from '../../../runtime/clock/interval.ts'
import type { RunningJob } from '../../../runtime/jobs/job-kind.ts'
import { enqueue } from '../../../runtime/jobs/queue.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { hour, minute } from '../../../shared/time.ts'
import type { Db } from '../../../store/open.ts'
import { accountById, nameOf } from '../../accounts/store.ts'
import { ips } from '../../ips/tables.ts'
import type { DomainRelayRow } from '../tables.ts'
import { isUnchanged, relayOf, relaysToCheck, setRelay } from './store.ts'

/** Relays per minute, and at once. */
const [pace, atOnce] = [200, 20]

const isOwn = (db: Db, addresses: readonly string[]): boolean =>
  db
    .select({ id: ips.id })
    .from(ips)
    .where(inArray(ips.address, [...addresses]))
    .limit(1)
    .get() !== undefined

/** Whether a relay's name leads to public addresses of others alone; undefined without an answer. */
async function isPublic(db: Db, outgoing: Outgoing, host: string): Promise<boolean | undefined> {
  try {
    return !isOwn(db, await outgoing.addressesOf(host, () => false))
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    return error.kind === 'dns' ? undefined : false
  }
}

/**
 * Notes what a check found; without an answer, what is known stays, and a new relay counts as refused. Returns whether
 * mail takes another way now.
 */
function note(runtime: Runtime, row: DomainRelayRow, found: boolean | undefined): boolean {
  const { db } = runtime.store
  const now = runtime.clock.now()
  if (!isUnchanged(db, row)) return false
  const isFirst = row.checked_at === null
  const isRefused = found === undefined ? isFirst || row.refused_since !== null : !found
  const refused_since = isRefused ? (row.refused_since ?? now) : null
  setRelay(db, row.domain_id, { checked_at: now, refused_since })
  return isFirst || (refused_since === null) !== (row.refused_since === null)
}

/** Checks a relay that was set, before its mail leaves by it. */
export async function checkNew({ runtime, job }: { runtime: Runtime; job: RunningJob }, outgoing: Outgoing) {
  const row = relayOf(runtime.store.db, job.row.object_id!)
  if (!row || row.checked_at !== null) return
  const found = await isPublic(runtime.store.db, outgoing, row.host)
  await runtime.store.change(() => note(runtime, row, found))
  if (found === undefined) job.log(`${row.host} has no address: no mail leaves by it. It is looked up hourly.`, 'warn')
  if (found === false) job.log(`${row.host} leads to an address that is not public: no mail leaves by it.`, 'warn')
}

async function checkAgain(runtime: Runtime, outgoing: Outgoing, row: DomainRelayRow): Promise<void> {
  const found = await isPublic(runtime.store.db, outgoing, row.host)
  await runtime.store.change(() => {
    const account = accountById(runtime.store.db, row.account_id)
    if (!note(runtime, row, found) || !account || account.terminating) return
    const job = { kind: 'email.domain.update', account: nameOf(account), object_id: row.domain_id }
    const payload = { relay: 'changed' }
    enqueue(runtime, { ...job, areas: ['mail'], payload }, systemActor(runtime.store.db), runtime.id())
  })
}

/** Looks hourly whether relays still lead to public addresses. */
export function beginRelayChecks(runtime: Runtime, outgoing: Outgoing): Engine {
  const stop = every(runtime, minute, 'SMTP relays of domains could not be checked', async (signal) => {
    const due = relaysToCheck(runtime.store.db, runtime.clock.now() - hour, pace)
    for (let at = 0; at < due.length && !signal.aborted; at += atOnce)
      await Promise.all(due.slice(at, at + atOnce).map((row) => checkAgain(runtime, outgoing, row)))
  })
  return { stop }
}
