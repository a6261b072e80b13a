import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { notFound } from '../../contract/problem.ts'
import type { SmtpRelay } from '../../contract/relays.ts'
import type { HostParts } from '../../host/contract/driver.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { domains } from '../domains/tables.ts'
import { type RelayRow, relays, relayTargets, type TargetRow } from './tables.ts'

/** The encryption purpose of relays' passwords. */
export const purpose = 'relay password'

export type HostRelay = NonNullable<HostParts['mail']['domains'][number]['relay']>

const effective = (db: Db) =>
  db
    .select({ relay: relays, domain: relayTargets.domain_id })
    .from(relayTargets)
    .innerJoin(relays, eq(relays.id, relayTargets.relay_id))

const inUse = and(eq(relayTargets.gone, false), eq(relays.status, 'active'))

const queries = prepared((db) => ({
  ofDomain: effective(db)
    .where(
      and(
        inUse,
        or(
          eq(relayTargets.domain_id, sql.placeholder('domain')),
          eq(relayTargets.account_id, sql.placeholder('account')),
        ),
      ),
    )
    .prepare(),
  ofServer: effective(db)
    .where(and(inUse, isNull(relayTargets.domain_id), isNull(relayTargets.account_id)))
    .prepare(),
}))

/** What a host needs of a relay. */
export type Route = Pick<RelayRow, 'host' | 'port' | 'tls' | 'username' | 'password'>

/** The relay that root has set for a domain itself. */
export const relayOfDomainItself = (db: Db, domain: string): Route | undefined =>
  queries(db)
    .ofDomain.all({ domain, account: '' })
    .find((one) => one.domain !== null)?.relay

/** The relay that root has set for a domain, else the customer's, else the account's. */
export function relayOfDomain(
  db: Db,
  domain: { readonly id: string; readonly account_id: string },
  customers: Route | undefined,
): Route | undefined {
  const found = queries(db).ofDomain.all({ domain: domain.id, account: domain.account_id })
  return found.find((one) => one.domain !== null)?.relay ?? customers ?? found[0]?.relay
}

export const relayOfServer = (db: Db): RelayRow | undefined => queries(db).ofServer.get()?.relay

/** As a host gets it. */
export function hostRelay({ unseal }: Pick<Runtime, 'unseal'>, row: Route): HostRelay {
  const { host, port, tls, username, password } = row
  if (username === null || password === null) return { host, port, tls }
  return { host, port, tls, username, password: unseal(purpose, password) }
}

export const allRelays = (db: Db): RelayRow[] => db.select().from(relays).orderBy(asc(relays.id)).all()

export const relayById = (db: Db, id: string): RelayRow | undefined =>
  db.select().from(relays).where(eq(relays.id, id)).get()

export function findRelay({ db }: { readonly db: Db }, id: string): RelayRow {
  const found = relayById(db, id)
  if (!found) throw notFound('SMTP relay')
  return found
}

/** Former ones too, until the hosts know. */
export const targetsOf = (db: Db, id: string): TargetRow[] =>
  db.select().from(relayTargets).where(eq(relayTargets.relay_id, id)).all()

/** The accounts whose mail it takes or took. */
export function accountsOf(db: Db, id: string): string[] {
  const found = db
    .selectDistinct({ account: sql<string | null>`ifnull(${relayTargets.account_id}, ${domains.account_id})` })
    .from(relayTargets)
    .leftJoin(domains, eq(domains.id, relayTargets.domain_id))
    .where(eq(relayTargets.relay_id, id))
    .all()
  return found.flatMap(({ account }) => account ?? [])
}

/** Row to resource (contract: SmtpRelay). */
export function toRelay(db: Db, row: RelayRow): z.input<typeof SmtpRelay> {
  const { id, name, host, port, tls, username, kind, status, created_at, updated_at } = row
  const targets = targetsOf(db, id).filter(({ gone }) => !gone)
  const of = {
    server: 'server' as const,
    accounts: { accounts: targets.flatMap(({ account_id }) => account_id ?? []) },
    domains: { domains: targets.flatMap(({ domain_id }) => domain_id ?? []) },
  }
  return { id, name, host, port, tls, ...present({ username }), for: of[kind], status, created_at, updated_at }
}
