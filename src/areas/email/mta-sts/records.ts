import type { AccountName } from '../../../runtime/operations/context.ts'
import type { ZoneRecord } from '../../../shared/zone/record.ts'
import type { Db } from '../../../store/open.ts'
import { accountById, addressesOfAccount, nameOf } from '../../accounts/store.ts'
import { isAddress, isTaken } from '../../dns/managed.ts'
import type { ZoneOf } from '../../dns/part.ts'
import { emit, raiseSerial, rowOf } from '../../dns/save-zone.ts'
import { addRecord, outputOf, recordsOf, removeRecord, setRecord } from '../../dns/store.ts'
import type { RecordRow } from '../../dns/tables.ts'
import { addressRecords } from '../../dns/template.ts'
import { domainById } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'
import type { DkimContext } from '../dkim/records.ts'
import { domainsIn, type MailHost, placeOf } from '../domains/routing.ts'
import type { MtaStsRow } from '../tables.ts'
import { mtaStsOf, recordValue } from './policy.ts'

const below = ({ name }: MailHost, label: string): string => (name === '@' ? label : `${label}.${name}`)

const recordsFor = (row: MtaStsRow, place: MailHost, addresses: readonly string[]): ZoneRecord[] => [
  ...addressRecords(below(place, 'mta-sts'), addresses),
  { name: below(place, '_mta-sts'), type: 'TXT', value: recordValue(row) },
]

/** The records of a zone's domain and its subdomains, which a reset restores. */
export const policiesIn = (db: Db, { account_id, domain_id }: ZoneOf): ZoneRecord[] =>
  domainsIn(db, account_id, domain_id).flatMap((domain) => {
    const [row, place] = [mtaStsOf(db, domain.id), placeOf(db, domain)]
    return row && place ? recordsFor(row, place, addressesOfAccount(accountById(db, account_id)!)) : []
  })

const ownedAt = (there: readonly RecordRow[], record: ZoneRecord): RecordRow | undefined =>
  there.find((row) => row.managed && row.name === record.name && row.type === record.type)

/** Publishes a policy in the domain's zone; a customer's own records of those names stay. */
export function publishPolicy(ctx: DkimContext, account: AccountName, domain: DomainRow, row: MtaStsRow): void {
  const place = placeOf(ctx.db, domain)
  if (!place) return
  const addresses = addressesOfAccount(accountById(ctx.db, domain.account_id)!)
  const there = recordsOf(ctx.db, place.zone.id)
  const changes = recordsFor(row, place, addresses)
    .map((record) => ({ record, own: ownedAt(there, record) }))
    .filter(({ record, own }) => (own ? own.value !== record.value : !isTaken(there.map(outputOf), record)))
  if (changes.length === 0) return
  raiseSerial(ctx, place.zone, account.owner_id)
  for (const { own, record } of changes) {
    if (!own) add(ctx, account, place, record)
    else if (!isAddress(record)) change(ctx, account, place, own, record)
  }
}

function add(ctx: DkimContext, account: AccountName, { zone }: MailHost, record: ZoneRecord): void {
  const row = rowOf(ctx, zone, record, true)
  addRecord(ctx, row)
  emit(ctx, account, 'created', zone, row)
}

function change(ctx: DkimContext, account: AccountName, { zone }: MailHost, own: RecordRow, record: ZoneRecord): void {
  const values = { value: record.value, updated_at: ctx.now }
  setRecord(ctx, own.id, values)
  emit(ctx, account, 'updated', zone, { ...own, ...values })
}

/** Removes a policy's records from the zone. */
export function withdrawPolicy(ctx: DkimContext, account: AccountName, domain: DomainRow): void {
  const place = placeOf(ctx.db, domain)
  if (!place) return
  const names = [below(place, 'mta-sts'), below(place, '_mta-sts')]
  const isOwn = (row: RecordRow) => row.managed && names.includes(row.name) && (isAddress(row) || row.type === 'TXT')
  const gone = recordsOf(ctx.db, place.zone.id).filter(isOwn)
  if (gone.length === 0) return
  raiseSerial(ctx, place.zone, account.owner_id)
  for (const row of gone) {
    removeRecord(ctx, row.id)
    emit(ctx, account, 'deleted', place.zone, row)
  }
}

/** A subdomain's records are in its parent's zone, which stays. */
export function policyDeleted(ctx: DkimContext, { id }: DomainRow): void {
  const domain = domainById(ctx.db, id)
  const account = domain?.kind === 'sub' ? accountById(ctx.db, domain.account_id) : undefined
  if (domain && account && mtaStsOf(ctx.db, id)) withdrawPolicy(ctx, nameOf(account), domain)
}
