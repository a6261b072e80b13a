import { recordEvent } from '../../../runtime/events/emit.ts'
import { enqueue } from '../../../runtime/jobs/queue.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { accountById, nameOf } from '../../accounts/store.ts'
import { domainParts } from '../part.ts'
import type { DomainRow } from '../tables.ts'
import type { LookOutcome } from './look.ts'
import {
  MISSING_LIMIT_MS,
  MISSING_NOTICE_MS,
  nextLook,
  RELOOK_INTERVAL_MS,
  ROUTING_INTERVAL_MS,
  UPGRADE_INTERVAL_MS,
  UPGRADE_LIMIT_MS,
} from './schedule.ts'
import { setVerification, verificationOf } from './store.ts'
import type { VerificationRow } from './tables.ts'

/** What changes of a verification need, in requests, jobs and background work. */
export type VerificationContext = Pick<Context, 'store' | 'db' | 'runtime' | 'now' | 'emit'>
type Method = NonNullable<VerificationRow['verified_by']>

/** The server's own changes. */
export function ownChanges(runtime: Runtime): VerificationContext {
  const { store, clock } = runtime
  const [requestId, actor] = [runtime.id(), systemActor(store.db)]
  return {
    runtime,
    store,
    db: store.db,
    now: clock.now(),
    emit: (event) => recordEvent(runtime, event, actor, actor.via, requestId).id,
  }
}

/** Marks a domain verified, and emits the event; the caller has the host updated. */
export function verify(changes: VerificationContext, domain: DomainRow, by: Method): void {
  const { now } = changes
  const isNew = verificationOf(changes.db, domain)?.verified_by === null
  setVerification(changes, domain.id, {
    verified_by: by,
    ...(isNew || by === 'root' ? { verified_at: now } : {}),
    challenge_only: false,
    next_check_at: by === 'root' ? now : now + RELOOK_INTERVAL_MS,
    missing_since: null,
    notice_at: null,
    reason: '',
  })
  const account = accountById(changes.db, domain.account_id)
  if (account && isNew)
    changes.emit({
      type: 'domain.verified',
      account: nameOf(account),
      object_id: domain.id,
      details: { domain: domain.name, by },
    })
  notify(changes, domain)
}

/** An authority has checked that the name leads to this server. */
export function verifyByCertificate(changes: VerificationContext, domain: DomainRow): void {
  if (domain.kind === 'sub') return
  const row = verificationOf(changes.db, domain)
  if (!row || row.challenge_only || (row.verified_by !== null && row.verified_by !== 'upgrade')) return
  verify(changes, domain, 'certificate')
  enqueueApply(changes.runtime, domain)
}

/** Marks a domain unverified, and begins its schedule anew; the caller has the host updated. */
export function unverify(changes: VerificationContext, domain: DomainRow, reason: string): void {
  const { now } = changes
  setVerification(changes, domain.id, {
    verified_by: null,
    verified_at: null,
    started_at: now,
    next_check_at: nextLook(now, now),
    missing_since: null,
    notice_at: now,
    reason,
  })
  notify(changes, domain)
}

const notify = (changes: VerificationContext, domain: DomainRow): void => {
  for (const { verified } of domainParts(changes.runtime)) verified?.(changes, domain)
}

/** Records a look. Returns whether what the host needs has changed. A domain that is being deleted has no next one. */
export function settleLook(changes: VerificationContext, domain: DomainRow, outcome: LookOutcome): boolean {
  if (domain.status === 'deleting') {
    setVerification(changes, domain.id, { next_check_at: null })
    return false
  }
  const row = verificationOf(changes.db, domain)
  if (!row) return false
  setVerification(changes, domain.id, {
    checked_at: changes.now,
    found: outcome.found,
    ...(outcome.isDelegated === undefined ? {} : { is_delegated: outcome.isDelegated }),
    ...(outcome.publicRouting ? { public_routing: outcome.publicRouting } : {}),
    ...(row.verified_by === null ? { reason: outcome.reason } : {}),
  })
  if (row.verified_by === null) return settleUnverified(changes, domain, row, outcome)
  const isRerouted = hasOtherRouting(row, outcome)
  const isUnverified = settleVerified(changes, domain, row, outcome)
  if (isRerouted && !isUnverified) notify(changes, domain)
  return isRerouted || isUnverified
}

function settleUnverified(
  changes: VerificationContext,
  domain: DomainRow,
  row: VerificationRow,
  { by }: LookOutcome,
): boolean {
  const { now } = changes
  if (by) verify(changes, domain, by)
  if (by) planRouting(changes, domain)
  else setVerification(changes, domain.id, { next_check_at: nextLook(row.started_at ?? now, now) })
  return by !== undefined
}

const hasOtherRouting = (row: VerificationRow, { isDelegated, publicRouting }: LookOutcome): boolean => {
  const before = row.is_delegated === false ? row.public_routing : null
  const is_delegated = isDelegated ?? row.is_delegated
  return before !== (is_delegated === false ? (publicRouting ?? row.public_routing) : null)
}

/** Returns whether the domain is unverified now. */
function settleVerified(
  changes: VerificationContext,
  domain: DomainRow,
  row: VerificationRow,
  outcome: LookOutcome,
): boolean {
  const { now } = changes
  if (row.verified_by === 'root') setVerification(changes, domain.id, { next_check_at: now + RELOOK_INTERVAL_MS })
  else if (outcome.by || (row.verified_by === 'certificate' && hasCertificate(changes, domain)))
    verify(changes, domain, outcome.by ?? 'certificate')
  else if (row.verified_by === 'upgrade') return settleUpgraded(changes, domain, row, outcome)
  else if (outcome.isConclusive) return settleMissing(changes, domain, row, outcome)
  else setVerification(changes, domain.id, { next_check_at: now + UPGRADE_INTERVAL_MS })
  planRouting(changes, domain)
  return false
}

const hasCertificate = ({ db, now, runtime }: VerificationContext, domain: DomainRow): boolean =>
  domainParts(runtime).some(({ view }) => {
    const used = view?.(db, domain, now).certificate
    return used?.kind === 'acme' && used.not_after > now
  })

/** Domains from before verification existed have 30 days. */
function settleUpgraded(
  changes: VerificationContext,
  domain: DomainRow,
  row: VerificationRow,
  { reason }: LookOutcome,
): boolean {
  const { now } = changes
  const isOver = now - row.verified_at! >= UPGRADE_LIMIT_MS
  if (isOver) unverify(changes, domain, reason)
  else
    setVerification(changes, domain.id, {
      next_check_at: now + UPGRADE_INTERVAL_MS,
      notice_at: row.notice_at ?? now,
      reason,
    })
  return isOver
}

function settleMissing(
  changes: VerificationContext,
  domain: DomainRow,
  row: VerificationRow,
  { reason }: LookOutcome,
): boolean {
  const { now } = changes
  const since = row.missing_since ?? now
  if (now - since >= MISSING_LIMIT_MS) {
    unverify(changes, domain, reason)
    return true
  }
  const next_check_at = Math.min(now + RELOOK_INTERVAL_MS, since + MISSING_LIMIT_MS)
  setVerification(changes, domain.id, {
    missing_since: since,
    notice_at: since + MISSING_NOTICE_MS,
    next_check_at,
    reason,
  })
  planRouting(changes, domain)
  return false
}

/** The mail servers of a zone that is served elsewhere are followed hourly. */
function planRouting(changes: VerificationContext, domain: DomainRow): void {
  const row = verificationOf(changes.db, domain)!
  const at = changes.now + ROUTING_INTERVAL_MS
  const isFollowed = row.is_delegated === false && row.verified_by !== null
  if (isFollowed && (row.next_check_at === null || row.next_check_at > at))
    setVerification(changes, domain.id, { next_check_at: at })
}

/** Has the host updated to a domain's verification. */
export function enqueueApply(runtime: Runtime, domain: DomainRow): void {
  const account = accountById(runtime.store.db, domain.account_id)
  if (!account || account.terminating) return
  const actor = systemActor(runtime.store.db)
  enqueue(runtime, verifyJob(nameOf(account), domain, 'apply', account.provisioned), actor, runtime.id())
}

type Purpose = 'look' | 'apply'

/** A job beside the account's own; it follows the job of a creation. */
export const verifyJob = (
  account: ReturnType<typeof nameOf>,
  domain: DomainRow,
  purpose: Purpose,
  isProvisioned: boolean,
) => ({
  kind: 'domain.verify',
  account,
  object_id: domain.id,
  lane: isProvisioned && domain.status !== 'provisioning' ? `verify:${domain.id}` : account.id,
  payload: { purpose },
})
