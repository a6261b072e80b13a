import type { AccountName, Context } from '../../../runtime/operations/context.ts'
import type { ZoneRecord } from '../../../shared/zone/record.ts'
import type { Db } from '../../../store/open.ts'
import { accountById, nameOf } from '../../accounts/store.ts'
import { isTaken } from '../../dns/managed.ts'
import type { ZoneOf } from '../../dns/part.ts'
import { emit, raiseSerial, rowOf } from '../../dns/save-zone.ts'
import { addRecord, outputOf, recordsOf, removeRecord } from '../../dns/store.ts'
import type { RecordRow } from '../../dns/tables.ts'
import { servedDomains } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { type MailHost, placeOf } from '../domains/routing.ts'
import { emailDomainById } from '../domains/store.ts'
import type { EmailKeyRow } from '../tables.ts'
import { keysOfDomain, selectorOf } from './store.ts'

/** What changing records needs, for requests and background work. */
export type DkimContext = Pick<Context, 'store' | 'db' | 'runtime' | 'now' | 'id' | 'emit'>

type DomainNode = Pick<DomainRow, 'id' | 'name' | 'kind' | 'parent_id'>

/** The published value of a key. */
export const recordValue = ({ public_key }: Pick<EmailKeyRow, 'public_key'>): string =>
  `v=DKIM1; k=rsa; p=${public_key}`

const recordFor = (key: EmailKeyRow, { name }: Pick<MailHost, 'name'>): ZoneRecord => ({
  name: `${selectorOf(key)}._domainkey${name === '@' ? '' : `.${name}`}`,
  type: 'TXT',
  value: recordValue(key),
})

/** The records of a zone's domain and its subdomains, which a reset restores. */
export const recordsIn = (db: Db, { account_id, domain_id }: ZoneOf): ZoneRecord[] =>
  servedDomains(db, account_id)
    .filter(({ id, kind, parent_id }) => id === domain_id || (kind === 'sub' && parent_id === domain_id))
    .filter(({ id }) => emailDomainById(db, id)?.dkim)
    .flatMap((domain) => {
      const place = placeOf(db, domain)
      return place ? keysOfDomain(db, domain.id).map((key) => recordFor(key, place)) : []
    })

/** Whether to emit an event per record; not for records that come with a zone or domain. */
export interface KeyRecords {
  readonly isReported: boolean
}

/** Publishes keys in the domain's zone; leaves a customer's own record of that name alone. */
export function publish(
  ctx: DkimContext,
  account: AccountName,
  domain: DomainNode,
  keys: readonly EmailKeyRow[],
  { isReported }: KeyRecords,
): void {
  const place = placeOf(ctx.db, domain)
  const there = place ? recordsOf(ctx.db, place.zone.id).map(outputOf) : []
  const records = place ? keys.map((key) => recordFor(key, place)).filter((record) => !isTaken(there, record)) : []
  if (!place || records.length === 0) return
  raiseSerial(ctx, place.zone, account.owner_id)
  for (const record of records) {
    const row = rowOf(ctx, place.zone, record, true)
    addRecord(ctx, row)
    if (isReported) emit(ctx, account, 'created', place.zone, row)
  }
}

/** Removes the keys' records from the zone. */
export function withdraw(
  ctx: DkimContext,
  account: AccountName,
  domain: DomainNode,
  keys: readonly EmailKeyRow[],
): void {
  const place = placeOf(ctx.db, domain)
  const names = new Set(place ? keys.map((key) => recordFor(key, place).name) : [])
  const gone = place ? recordsOf(ctx.db, place.zone.id).filter((row) => isOwn(row, names)) : []
  if (!place || gone.length === 0) return
  raiseSerial(ctx, place.zone, account.owner_id)
  for (const row of gone) {
    removeRecord(ctx, row.id)
    emit(ctx, account, 'deleted', place.zone, row)
  }
}

const isOwn = ({ managed, type, name }: RecordRow, names: ReadonlySet<string>): boolean =>
  managed && type === 'TXT' && names.has(name)

/** Removes a subdomain's records from its parent's zone; other domains' records go with their zone. */
export function withdrawAll(ctx: Context, domain: DomainRow): void {
  const account = domain.kind === 'sub' ? accountById(ctx.db, domain.account_id) : undefined
  if (account) withdraw(ctx, nameOf(account), domain, keysOfDomain(ctx.db, domain.id))
}
