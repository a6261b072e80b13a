import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { challengeName, challengeProblem, challengesChanged, zoneHolding } from '../../dns/challenge.ts'
import type { ZonePart } from '../../dns/part.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { AcmeError } from './error.ts'
import type { Challenge, Proof } from './order.ts'
import { challenges } from './tables.ts'

type DomainKey = Pick<DomainRow, 'id' | 'account_id'>

/** Adds challenge responses to the desired state of the account's host; inside a change. */
export function answer(runtime: Runtime, domain: DomainKey, challenge: Challenge, proofs: readonly Proof[]): void {
  for (const proof of proofs) {
    const { zone_id, name, value } = challenge === 'http-01' ? inFile(proof) : inZone(runtime.store.db, domain, proof)
    const row = { domain_id: domain.id, account_id: domain.account_id, zone_id, name, value }
    runtime.store.db.insert(challenges).values(row).run()
  }
  applyZones(runtime, zonesWith(runtime.store.db, domain.id))
}

const inFile = ({ token, content }: Proof) => ({ zone_id: null, name: token, value: content })

function inZone(db: Db, { account_id }: DomainKey, { domain, txt }: Proof) {
  const zone = zoneHolding(db, account_id, domain)
  if (!zone) throw new AcmeError(`${domain} is in no zone of the account`, { domain })
  const name = challengeName(domain, zone)
  const problem = challengeProblem(db, zone, name)
  if (problem) throw new AcmeError(`${domain} cannot be proven: ${problem}`, { domain })
  return { zone_id: zone.id, name, value: txt }
}

/** Removes all challenge responses for a domain, inside a change; returns whether there were any. */
export function takeBack(runtime: Runtime, domainId: string): boolean {
  const { db } = runtime.store
  const zones = zonesWith(db, domainId)
  const { changes } = db.delete(challenges).where(eq(challenges.domain_id, domainId)).run()
  applyZones(runtime, zones)
  return changes > 0
}

const zonesWith = (db: Db, domainId: string): string[] =>
  db
    .selectDistinct({ id: challenges.zone_id })
    .from(challenges)
    .where(and(eq(challenges.domain_id, domainId), isNotNull(challenges.zone_id)))
    .all()
    .map(({ id }) => id!)

function applyZones(runtime: Runtime, zones: readonly string[]): void {
  const { store, clock } = runtime
  for (const id of zones) challengesChanged({ store, db: store.db, runtime, now: clock.now() }, id)
}

const queries = prepared((db: Db) => ({
  files: db
    .select({ token: challenges.name, content: challenges.value })
    .from(challenges)
    .where(and(eq(challenges.account_id, sql.placeholder('account')), isNull(challenges.zone_id)))
    .orderBy(challenges.name)
    .prepare(),
  texts: db
    .select({ name: challenges.name, value: challenges.value })
    .from(challenges)
    .where(eq(challenges.zone_id, sql.placeholder('zone')))
    .orderBy(challenges.name, challenges.value)
    .prepare(),
}))

/** The challenge files below the account's sites. */
export const filesOf = (db: Db, account: string) => queries(db).files.all({ account })

export const ofZone: ZonePart = { challenges: (db, { id: zone }) => queries(db).texts.all({ zone }) }
