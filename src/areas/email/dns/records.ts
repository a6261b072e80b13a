import type { getEmailDns } from '../../../contract/email.ts'
import type { Output } from '../../../contract/operation.ts'
import { accountById, addressesOfAccount } from '../../accounts/store.ts'
import { recordsOf } from '../../dns/store.ts'
import { spf } from '../../dns/template.ts'
import { recordValue } from '../dkim/records.ts'
import { currentKey, selectorOf } from '../dkim/store.ts'
import { type MailHost, placeOf, routingOf } from '../domains/routing.ts'
import type { Mail } from '../domains/view.ts'
import type { FoundRecord } from '../tables.ts'
import { adviceOf } from './advice.ts'
import { deliveryRecords } from './delivery.ts'
import type { DesiredRecord, RecordContext } from './desired.ts'

type EmailDns = Output<typeof getEmailDns>
type RecordView = EmailDns['records'][number]

const hostOf = (value: string, { zone }: MailHost): string => (value === '@' ? zone.name : value)

/** The zone's first mail server; the server itself without a zone. */
function exchange({ db, runtime }: RecordContext, { domain, row }: Mail): string | undefined {
  if (routingOf(db, domain, row, runtime.hostname) === 'remote') return undefined
  const place = placeOf(db, domain)
  const all = place ? recordsOf(db, place.zone.id).filter(({ type, name }) => type === 'MX' && name === place.name) : []
  const [first] = all.toSorted((a, b) => a.priority! - b.priority!)
  return first ? `${first.priority} ${hostOf(first.value, place!)}` : `0 ${runtime.hostname.toLowerCase()}`
}

/** The zone's SPF policy, even if it is the customer's own. */
function policy({ db }: RecordContext, { domain }: Mail): string {
  const place = placeOf(db, domain)
  const own = place && recordsOf(db, place.zone.id).find((row) => row.name === place.name && isPolicy(row.value))
  return own?.value ?? spf(addressesOfAccount(accountById(db, domain.account_id)!))
}

const isPolicy = (text: string): boolean => /^v=spf1(?: |$)/i.test(text)
const isDmarc = (text: string): boolean => /^v=DMARC1\s*(?:;|$)/i.test(text)

/** The records that a domain's mail needs, then what receivers look at besides. */
export function desiredRecords(of: RecordContext, mail: Mail): DesiredRecord[] {
  const { domain, row } = mail
  const mx = exchange(of, mail)
  const key = row.dkim ? currentKey(of.db, domain.id) : undefined
  return [
    { kind: 'mx', name: domain.name, ...(mx === undefined ? {} : { wanted: mx }) },
    { kind: 'spf', name: domain.name, wanted: policy(of, mail) },
    ...(key
      ? [{ kind: 'dkim' as const, name: `${selectorOf(key)}._domainkey.${domain.name}`, wanted: recordValue(key) }]
      : []),
    { kind: 'dmarc', name: `_dmarc.${domain.name}`, wanted: 'v=DMARC1; p=none' },
    ...deliveryRecords(of, mail),
  ]
}

/** Selects the texts of one kind from all at a name. */
const concerns: Readonly<Record<RecordView['kind'], (text: string) => boolean>> = {
  mx: () => true,
  spf: isPolicy,
  dkim: () => true,
  dmarc: isDmarc,
  ptr: () => true,
  helo: () => true,
  mta_sts: (text) => /^v=STSv1\s*;/.test(text),
  tls_rpt: (text) => /^v=TLSRPTv1\s*;/.test(text),
  blocklist: () => true,
}

const anyOne: ReadonlySet<RecordView['kind']> = new Set(['dmarc', 'mta_sts', 'tls_rpt'])
const oneOfSeveral: ReadonlySet<RecordView['kind']> = new Set(['mx', 'ptr', 'helo'])

const plain = (kind: RecordView['kind'], text: string): string => {
  if (kind === 'ptr') return text.toLowerCase().replace(/\.$/, '')
  const words = kind === 'dkim' ? text.replace(/\s+/g, '') : text.replace(/\s+/g, ' ').trim()
  return kind === 'mx' || kind === 'spf' ? words.toLowerCase() : words.replace(/;$/, '')
}

/** Further mail servers may follow the first; there is one SPF policy; any DMARC policy will do. */
function fits({ kind, wanted: requested }: DesiredRecord, found: readonly string[]): boolean {
  if (anyOne.has(kind) && (kind !== 'mta_sts' || requested === undefined)) return found.length === 1
  if (requested === undefined) return true
  const same = found.filter((text) => plain(kind, text) === plain(kind, requested))
  return oneOfSeveral.has(kind) ? same.length > 0 : found.length === 1 && same.length === 1
}

/** Lists answer with 127.0.0.x; with 127.255.255.x they refuse to say, and anything else is not theirs. */
function listedStatus(found: readonly string[]): RecordView['status'] {
  if (found.length === 0) return 'ok'
  return found.every((one) => /^127\.(?!255\.)/.test(one)) ? 'different' : 'unknown'
}

function statusOf(want: DesiredRecord, found: readonly string[] | undefined): RecordView['status'] {
  if (!found) return 'unknown'
  if (want.kind === 'blocklist') return listedStatus(found)
  if (found.length === 0) return 'missing'
  return fits(want, found) ? 'ok' : 'different'
}

function recordView(want: DesiredRecord, checked: readonly FoundRecord[]): RecordView {
  const answer = checked.find(({ kind, name }) => kind === want.kind && name === want.name)?.found
  const found = answer?.filter(concerns[want.kind])
  const { address: _, ...record } = want
  const status = statusOf(want, found)
  return { ...record, found: [...(found ?? [])], status, advice: adviceOf(want.kind, status) }
}

/** The needed records, with the last check's findings (contract: EmailDns). */
export const toEmailDns = (of: RecordContext, mail: Mail): EmailDns => ({
  domain: mail.domain.name,
  ...(mail.row.checked ? { checked_at: mail.row.checked.at } : {}),
  records: desiredRecords(of, mail).map((want) => recordView(want, mail.row.checked?.records ?? [])),
})
