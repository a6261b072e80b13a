import { and, asc, count, eq, gt, isNull, lt, max } from 'drizzle-orm'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { day, hour, minuteText } from '../../shared/time.ts'
import { partsOf } from '../accounts/objects/part.ts'
import { accountById, type FullAccount } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'
import { backups } from '../backups/tables.ts'
import { inert } from '../mailer/inert.ts'
import type { ValuesOf } from './placeholders.ts'
import { sendLetter } from './send.ts'
import { customerEmails } from './tables.ts'

/** Accounts of one change: requests get their turn in between. */
const SLICE = 100
const MAX_NOTICES = 20
/** A server that was down on the first day sends it within this time. */
const LAST_DAY = 5
const FIRST_HOUR = 6
const RETENTION_MS = 400 * day

/** Mails the report of the last month, in the first days of the next. */
export class Digests implements Engine {
  readonly #runtime: Runtime
  readonly #stop: () => Promise<void>

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#stop = every(runtime, hour, 'monthly reports could not be sent', (signal) => this.#send(signal))
  }

  hold(): void {}

  stop(): Promise<void> {
    return this.#stop()
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#runtime
    const now = new Date(clock.now())
    if (now.getUTCDate() > LAST_DAY || (now.getUTCDate() === 1 && now.getUTCHours() < FIRST_HOUR)) return
    const begin = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
    const month = new Date(begin - day).toISOString().slice(0, 7)
    for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) {
      const from: string = after
      after = await store.change(() => sendSlice(this.#runtime, month, begin, from))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await store.change(() => {
      const old = lt(customerEmails.created_at, clock.now() - RETENTION_MS)
      store.db.delete(customerEmails).where(old).run()
    })
  }
}

/** Returns the last account of the slice; undefined after the last of all. */
function sendSlice(runtime: Runtime, month: string, begin: number, after: string): string | undefined {
  const { db } = runtime.store
  const mailed = and(gt(accounts.id, after), lt(accounts.created_at, begin), isNull(accounts.suspended_at))
  const ids = db.select({ id: accounts.id }).from(accounts).where(mailed).orderBy(asc(accounts.id)).limit(SLICE).all()
  for (const { id } of ids) {
    const account = accountById(db, id)!
    const isSent = and(eq(customerEmails.account_id, id), eq(customerEmails.cause, `digest ${month}`))
    if (db.select({ cause: customerEmails.cause }).from(customerEmails).where(isSent).get()) continue
    sendLetter(runtime, account, 'digest', `digest ${month}`, () => reportOf(runtime, account, month))
  }
  return ids.length < SLICE ? undefined : ids.at(-1)!.id
}

function reportOf(runtime: Runtime, account: FullAccount, month: string): ValuesOf<'digest'> {
  const { db } = runtime.store
  const complete = and(eq(backups.account_id, account.id), eq(backups.status, 'complete'))
  const saved = db
    .select({ total: count(), last: max(backups.created_at) })
    .from(backups)
    .where(complete)
    .get()!
  return {
    month,
    disk_used_mb: `${account.disk_used_mb}`,
    disk_limit_mb: `${account.disk_quota_mb ?? '∞'}`,
    backups: `${saved.total}`,
    last_backup: saved.last === null ? '–' : minuteText(saved.last),
    notices: noticesOf(runtime, account).join('\n') || '–',
  }
}

function noticesOf(runtime: Runtime, { id }: FullAccount): string[] {
  const ctx = { db: runtime.store.db, now: runtime.clock.now(), runtime }
  const found = partsOf(runtime).flatMap(({ notices }) => notices?.(ctx, { account: id, limit: MAX_NOTICES }) ?? [])
  return found.slice(0, MAX_NOTICES).map(({ kind, name, detail }) => `${kind} “${inert(name)}”: ${inert(detail, 240)}`)
}
