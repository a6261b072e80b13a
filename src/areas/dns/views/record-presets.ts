import type { Answered, ViewContext } from '../../../web/kit/screen.ts'
import { type Changed, pairsOf } from './changes.ts'
import { fieldsOf, type RecordFields } from './record-fields.ts'

/** What a mail service needs in a zone, as its own documentation says. */
interface MailService {
  readonly label: string
  readonly exchanger: (zone: string) => RecordFields
  /** The domain whose SPF record names the service's servers. */
  readonly senders: string
  readonly others: readonly RecordFields[]
  /** Managed records that have no place beside the others. */
  readonly instead: readonly string[]
}

const apex = { name: '@' }

const services: readonly MailService[] = [
  {
    label: 'Mail at Google',
    exchanger: () => ({ ...apex, type: 'MX', priority: '1', value: 'smtp.google.com.' }),
    senders: '_spf.google.com',
    others: [],
    instead: [],
  },
  {
    label: 'Mail at Microsoft 365',
    exchanger: (zone) => ({
      ...apex,
      type: 'MX',
      priority: '0',
      value: `${zone.replaceAll('.', '-')}.mail.protection.outlook.com.`,
    }),
    senders: 'spf.protection.outlook.com',
    others: [{ name: 'autodiscover', type: 'CNAME', value: 'autodiscover.outlook.com.' }],
    instead: ['_autodiscover._tcp'],
  },
]

/** A zone's records name hosts without the last dot. */
const isSame = (record: Answered, required: RecordFields): boolean =>
  Object.entries(required).every(([name, value]) => String(record[name]) === value.replace(/\.$/, ''))

/** What a preset replaces: other mail servers, and records of a name that may have only one. */
const isReplaced = (record: Answered, required: RecordFields): boolean =>
  record.name === required['name'] && (required['type'] === 'CNAME' || record.type === required['type'])

const isSpf = ({ name, type, value }: Answered): boolean =>
  name === '@' && type === 'TXT' && /^v=spf1( |$)/i.test(value)

/** A domain has one SPF record, so a further sender goes into the one that is there. */
function withSender(spf: string, sender: string): string {
  const [, before = spf, last = ''] = /^(.*?)((?:\s+[-~?+]?all)?\s*)$/i.exec(spf) ?? []
  return `${before} include:${sender}${last.trimEnd()}`
}

/** The changes that a service needs in a zone, as the editor's form. */
function formFor(service: MailService, zone: string, serial: string, records: readonly Answered[]): URLSearchParams {
  const required = [service.exchanger(zone), ...service.others]
  const spf = records.find(isSpf)
  const include = `include:${service.senders}`
  const creates = required.filter((one) => !records.some((record) => isSame(record, one)))
  if (!spf) creates.push({ ...apex, type: 'TXT', value: `v=spf1 ${include} ~all` })
  const deletes = records
    .filter(
      (record) =>
        required.some((one) => isReplaced(record, one) && !isSame(record, one)) ||
        (record.managed && service.instead.includes(record.name)),
    )
    .map((record): Changed => ({ id: record.id, was: fieldsOf(record), change: {} }))
  const updates: Changed[] =
    !spf || spf.value.split(/\s+/).includes(include)
      ? []
      : [{ id: spf.id, was: fieldsOf(spf), change: { value: withSender(spf.value, service.senders) } }]
  return new URLSearchParams([['do', 'changeDnsRecords'], ...pairsOf({ serial, deletes, updates, creates })])
}

/** Common purposes of records, as links to forms that are filled in. */
export function presetsIn(view: ViewContext) {
  const { path, names, query, sections } = view
  const found = Object.values(sections).filter((one) => one?.serial !== undefined)
  const serial = String(found[0]?.serial ?? '')
  const records: Answered[] = found.flatMap(({ items }) => items)
  const unique = [...new Map(records.map((record) => [record.id, record])).values()]
  const checks = ['TXT', 'CNAME'].map((type) => ({
    label: `Site verification by ${type}`,
    href: `${path}?${new URLSearchParams({ do: 'createDnsRecord', type, ...(type === 'TXT' && apex), verifies: 'true' })}`,
    isNow: query.has('verifies') && query.get('type') === type,
  }))
  if (found.length === 0 || !view.may('changeDnsRecords')) return checks
  const mail = services.map((service) => ({
    label: service.label,
    href: `${view.href('/dns/{zone}')}?${formFor(service, names['zone'] ?? '', serial, unique)}`,
    isNow: false,
  }))
  return [...mail, ...checks]
}
