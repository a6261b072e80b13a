import { eq, sql } from 'drizzle-orm'
import { invalid } from '../../contract/problem.ts'
import type * as declared from '../../contract/ssl.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { day, hour } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { refuseBeingDeleted } from '../domains/busy.ts'
import { domainById, toDomain } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { challengeProblem } from './acme/challenge-error.ts'
import type { Challenge } from './acme/order.ts'
import { type AutosslRow, autossl } from './acme/tables.ts'
import { isAutosslDefault } from './settings.ts'

const queries = prepared((db: Db) => ({
  row: db
    .select()
    .from(autossl)
    .where(eq(autossl.domain_id, sql.placeholder('domain')))
    .prepare(),
}))

const rowOf = (db: Db, domain: string): AutosslRow | undefined => queries(db).row.get({ domain })

/** How the names of a domain are proven unless it says so. */
export const defaultChallenge = (name: string): Challenge => (name.startsWith('*.') ? 'dns-01' : 'http-01')

/** A domain's AutoSSL settings, and the result of the last attempt. */
export function autosslOf(db: Db, { id, name }: Pick<DomainRow, 'id' | 'name'>) {
  const row = rowOf(db, id)
  const enabled = row?.enabled ?? isAutosslDefault(db)
  return {
    enabled,
    challenge: row?.challenge ?? defaultChallenge(name),
    ...present({
      last_attempt_at: row?.last_attempt_at ?? null,
      last_error: row?.last_error ?? null,
      next_attempt_at: enabled ? (row?.next_attempt_at ?? null) : null,
    }),
  }
}

function write(db: Db, domain_id: string, values: Partial<AutosslRow>): void {
  const none = {
    enabled: null,
    challenge: null,
    last_attempt_at: null,
    last_error: null,
    next_attempt_at: null,
    failing_since: null,
    wait_until: null,
  }
  db.insert(autossl)
    .values({ ...none, failures: 0, ...values, domain_id })
    .onConflictDoUpdate({ target: autossl.domain_id, set: values })
    .run()
}

/** Delays after consecutive failures. */
const ladder = [1, 4, 12, 24].map((hours) => hours * hour)

export function noteFailed({ db, now }: Pick<Context, 'db' | 'now'>, domainId: string, last_error: string): void {
  const row = rowOf(db, domainId)
  const failures = (row?.failures ?? 0) + 1
  const next_attempt_at = Math.max(now + ladder[Math.min(failures, ladder.length) - 1]!, row?.wait_until ?? 0)
  write(db, domainId, {
    last_attempt_at: now,
    last_error,
    failures,
    next_attempt_at,
    failing_since: row?.failing_since ?? now,
  })
}

/** No authority asks for more than a rate limit's week. */
const MAX_WAIT_MS = 7 * day

/** The authority's rate limit: AutoSSL waits at least so long. */
export const noteWait = ({ db, now }: Pick<Context, 'db' | 'now'>, domainId: string, waitMs: number): void =>
  write(db, domainId, { wait_until: now + Math.min(waitMs, MAX_WAIT_MS) })

export const noteIssued = ({ db, now }: Pick<Context, 'db' | 'now'>, domainId: string): void =>
  write(db, domainId, {
    last_attempt_at: now,
    last_error: null,
    failures: 0,
    next_attempt_at: null,
    failing_since: null,
    wait_until: null,
  })

/** New settings are tried at once. */
export const setAutossl: Handler<typeof declared.setAutossl> = {
  handle(ctx, { body }) {
    const { account, domain } = ctx.found
    const challenge = body.challenge ?? defaultChallenge(domain.name)
    const isUsed = body.enabled || body.challenge !== undefined
    const problem = isUsed && challengeProblem(ctx.db, account.id, challenge, [domain.name])
    if (problem) throw invalid('challenge', problem)
    refuseBeingDeleted(domain)
    const { enabled, challenge: former } = autosslOf(ctx.db, domain)
    if (enabled !== body.enabled || former !== challenge)
      write(ctx.db, domain.id, { enabled: body.enabled, challenge, failures: 0, next_attempt_at: null })
    else write(ctx.db, domain.id, { enabled, challenge })
    const before = { enabled, challenge: former }
    ctx.note({ account, object_id: domain.id, before, after: { enabled: body.enabled, challenge } })
    return toDomain(ctx, domainById(ctx.db, domain.id)!)
  },
}
