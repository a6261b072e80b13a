import { and, eq, ne } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import { localNode } from '../../shared/node-name.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { accountById, addressesOfAccount } from '../accounts/store.ts'
import { domains } from '../domains/tables.ts'
import { relative } from './names.ts'
import { type ZoneOf, zoneParts } from './part.ts'
import { serversFor } from './save-zone.ts'
import { zones } from './tables.ts'
import { templateOf } from './template.ts'

type RecordContext = Pick<Context, 'db' | 'runtime'>

/** Subdomains of a domain, relative to its zone, in order of creation. */
const subsOf = ({ db }: RecordContext, domain: string, zone: string): string[] =>
  db
    .select({ name: domains.name })
    .from(domains)
    .where(and(eq(domains.parent_id, domain), eq(domains.kind, 'sub'), ne(domains.status, 'deleting')))
    .orderBy(domains.id)
    .all()
    .map(({ name }) => relative(name, zone))

/** Zones of the account below one, relative to it. */
const zonesBelow = ({ db }: RecordContext, account: string, zone: string): string[] =>
  db
    .select({ name: zones.name })
    .from(zones)
    .where(eq(zones.account_id, account))
    .orderBy(zones.id)
    .all()
    .filter(({ name }) => name.endsWith(`.${zone}`))
    .map(({ name }) => relative(name, zone))

/** The records that a zone starts with, and that a reset restores. */
export function templateFor(of: RecordContext, place: ZoneOf): ZoneRecord[] {
  const { name: zone, account_id, domain_id } = place
  const account = accountById(of.db, account_id)!
  const own = templateOf({
    zone,
    addresses: addressesOfAccount(account),
    hostname: of.runtime.hostname.toLowerCase(),
    elsewhere: account.node !== localNode,
    nameservers: serversFor(of, account.owner_id),
    subs: subsOf(of, domain_id, zone),
    zones: zonesBelow(of, account_id, zone),
  })
  return [...own, ...zoneParts(of.runtime).flatMap(({ records }) => records?.(of.db, place) ?? [])]
}
