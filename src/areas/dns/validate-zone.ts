import { runToEnd, type Steps } from '../../runtime/operations/slices.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { textOf } from '../../shared/zone/strings.ts'
import { ZoneError } from './error.ts'
import { isWithin, relative } from './names.ts'
import { keyOf, setOf, ZoneIndex } from './zone-index.ts'

export interface ValidatedZone {
  readonly name: string
  readonly ttl: number
  /** The zone's own name servers, which are not records. */
  readonly nameservers: readonly string[]
}

/** A fault of the resulting zone, and the record that has it. */
export interface Finding<R> {
  readonly record: R
  readonly error: ZoneError
}

type ZoneRule = <R extends ZoneRecord>(
  zone: ValidatedZone,
  index: ZoneIndex<R>,
  changed: ReadonlySet<R>,
) => Finding<R>[]

/** Of conflicting records, the one to report: the last changed one. */
function culprit<R>(records: readonly R[], changed: ReadonlySet<R>): R {
  return records.findLast((record) => changed.has(record)) ?? records.at(-1)!
}

const grouped = <R extends ZoneRecord>(index: ZoneIndex<R>, keyed: (record: R) => string | undefined): R[][] =>
  [...index.byName.values()].flatMap((records) => (records.length > 1 ? groupedBy(records, keyed) : []))

function groupedBy<R extends ZoneRecord>(records: readonly R[], keyed: (record: R) => string | undefined): R[][] {
  const groups = new Map<string, R[]>()
  for (const record of records) {
    const key = keyed(record)
    if (key === undefined) continue
    const there = groups.get(key)
    if (there) there.push(record)
    else groups.set(key, [record])
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}

const aliasAtApex: ZoneRule = (_zone, index) =>
  index
    .at('@')
    .filter(({ type }) => type === 'CNAME')
    .map((record) => ({
      record,
      error: new ZoneError('name', "must be below the zone: the zone's own name cannot be a CNAME"),
    }))

const aliasBeside: ZoneRule = (_zone, index, changed) =>
  [...index.byName.values()]
    .filter((records) => records.length > 1 && records[0]!.name !== '@' && records.some(({ type }) => type === 'CNAME'))
    .map((records) => {
      const record = culprit(records, changed)
      return { record, error: new ZoneError('name', 'has other records already: a CNAME must be alone', 'exists') }
    })

/** The text of a record's data is made only where another record has the same name and type. */
const twice: ZoneRule = (_zone, index, changed) =>
  grouped(index, setOf)
    .flatMap((records) => groupedBy(records, keyOf))
    .map((records) => ({
      record: culprit(records, changed),
      error: new ZoneError('value', 'is there already: the same name, type and value', 'exists'),
    }))

const versions = [
  [/^v=spf1(?: |$)/i, 'v=spf1'],
  [/^v=DMARC1\s*(?:;|$)/i, 'v=DMARC1'],
] as const

const isSelector = (name: string): boolean => /^[^.]+\._domainkey(?:\.|$)/i.test(name)

/** The policy or key of mail in a text, of which a name may have one. */
export const policyOf = ({ name, type, value }: ZoneRecord): string | undefined => {
  if (type !== 'TXT') return undefined
  const text = textOf(value)
  const isKey = isSelector(name) && /^v=DKIM1\s*(?:;|$)|(?:^|;)\s*p=/i.test(text)
  const version = isKey ? 'v=DKIM1' : versions.find(([pattern]) => pattern.test(text))?.[1]
  return version && `${name.toLowerCase()} ${version}`
}

const policyTwice: ZoneRule = (_zone, index, changed) =>
  grouped(index, policyOf)
    .filter((records) => !isSelector(records[0]!.name) || records.some((one) => changed.has(one)))
    .map((records) => ({
      record: culprit(records, changed),
      error: new ZoneError(
        'value',
        `the name has a ${policyOf(records[0]!)!.split(' ')[1]} record already; change that one`,
        'exists',
      ),
    }))

const oneRedirection: ZoneRule = (_zone, index, changed) =>
  grouped(index, (record) => (record.type === 'DNAME' ? record.name : undefined)).map((records) => ({
    record: culprit(records, changed),
    error: new ZoneError('name', 'has a DNAME already; a name has one', 'exists'),
  }))

const oneTtl: ZoneRule = ({ ttl }, index, changed) =>
  grouped(index, setOf)
    .filter((records) => new Set(records.map((record) => record.ttl ?? ttl)).size > 1)
    .map((records) => ({
      record: culprit(records, changed),
      error: new ZoneError('ttl', 'must be that of the other records of this name and type'),
    }))

const noMailBesideMail: ZoneRule = (_zone, index, changed) =>
  grouped(index, (record) => (record.type === 'MX' ? record.name : undefined))
    .filter((records) => records.some(({ value }) => value === '.'))
    .map((records) => ({
      record: culprit(records, changed),
      error: new ZoneError('value', '"." (no mail) must be the only MX record of the name'),
    }))

const signedDelegation: ZoneRule = (_zone, index, changed) =>
  [...index.byName.values()].flatMap((records) => {
    const signer = records.findLast(({ type }) => type === 'DS')
    if (!signer || records.some(({ type }) => type === 'NS')) return []
    return [
      missing(culprit([signer, ...records.filter(({ type }) => type === 'DS')], changed), changed, 'name', delegation),
    ]
  })

const delegation = {
  own: 'must have NS records: a DS record is only allowed beside them',
  taken: (name: string) => `The DS record at ${name} needs the NS record; delete the DS record first.`,
}

interface Need {
  readonly target?: 'alias' | 'none'
  readonly own: string
  readonly taken: (name: string) => string
}

/** What a record needs and lacks: a new record's own fault, else that of the change that removed it. */
function missing<R extends ZoneRecord>(record: R, changed: ReadonlySet<R>, field: string, need: Need): Finding<R> {
  const error = changed.has(record)
    ? new ZoneError(field, need.own, 'validation', need.target)
    : new ZoneError(field, need.taken(record.name), 'in-use', need.target)
  return { record, error }
}

/** Types whose value is a host that needs an address. */
export const pointing = ['MX', 'NS', 'SRV'] as const

export const isPointer = ({ type }: Pick<ZoneRecord, 'type'>): boolean => (pointing as readonly string[]).includes(type)

/** A zone's own in-zone name servers, as records. */
export const ownServers = ({ name, nameservers }: Pick<ValidatedZone, 'name' | 'nameservers'>): ZoneRecord[] =>
  nameservers.filter((server) => isWithin(server, name)).map((value) => ({ name: '@', type: 'NS', value }))

/** The zone's own name servers that have no address in it. */
export const unaddressed = (
  zone: Pick<ValidatedZone, 'name' | 'nameservers'>,
  records: Iterable<ZoneRecord>,
): string[] => {
  const index = new ZoneIndex(records)
  return ownServers(zone)
    .filter((record) => lackOf(record, relative(record.value, zone.name), index) !== undefined)
    .map(({ value }) => value)
}

/** BIND does not load a zone if its own in-zone servers have no address. */
const targets: ZoneRule = <R extends ZoneRecord>(of: ValidatedZone, index: ZoneIndex<R>, changed: ReadonlySet<R>) =>
  [...[...index.byName.values()].flat(), ...(ownServers(of) as R[])].flatMap((record) => {
    const zone = of.name
    if (!isPointer(record) || !isWithin(record.value, zone)) return []
    const at = relative(record.value, zone)
    const lack = lackOf(record, at, index)
    if (lack === undefined) return []
    // BIND serves mail and services that point to an alias; such a record stays until it is changed.
    const isAlias = lack === alias && record.type !== 'NS'
    if (isAlias && ![record, ...index.answering(at)].some((one) => changed.has(one))) return []
    const taken = () => needOf(record)
    return [missing(record, changed, 'value', { own: lack, taken, target: isAlias ? 'alias' : 'none' })]
  })

/** A zone's own name servers are not records that a caller could change first. */
const needOf = ({ name, type, value }: ZoneRecord): string =>
  type === 'NS' && name === '@'
    ? `${value} is a name server of the zone, which needs its address.`
    : `The ${type} record at ${name} points to ${value}; change that first.`

const addressed = (records: readonly ZoneRecord[]) => records.some(({ type }) => type === 'A' || type === 'AAAA')

const alias = 'must have an address of its own: it is a CNAME'

function lackOf(record: ZoneRecord, target: string, index: ZoneIndex): string | undefined {
  const delegated = index.cut(target) !== undefined
  // Below a delegation, only its own NS records need an address here.
  if (delegated && record.type !== 'NS') return undefined
  const answering = delegated ? index.at(target) : index.answering(target)
  if (answering.some(({ type }) => type === 'CNAME')) return alias
  return addressed(answering) ? undefined : 'has no address (A or AAAA) in the zone; add that first'
}

const rules: readonly ZoneRule[] = [
  aliasAtApex,
  oneTtl,
  noMailBesideMail,
  signedDelegation,
  targets,
  aliasBeside,
  twice,
  policyTwice,
  oneRedirection,
]

/** All faults of a resulting zone. `changed` are its new records. */
export function* findingSteps<R extends ZoneRecord>(
  zone: ValidatedZone,
  records: Iterable<R>,
  changed: ReadonlySet<R>,
  isChecked: (record: R) => boolean = () => true,
): Steps<Finding<R>[]> {
  const index = new ZoneIndex(records)
  const findings: Finding<R>[] = []
  for (const rule of rules) {
    yield
    for (const one of rule(zone, index, changed)) if (isChecked(one.record)) findings.push(one)
  }
  return findings
}

/** The same at once, bad input before conflicts. */
export function findingsOf<R extends ZoneRecord>(
  zone: ValidatedZone,
  records: Iterable<R>,
  changed: ReadonlySet<R>,
  isChecked: (record: R) => boolean = () => true,
): Finding<R>[] {
  const all = runToEnd(findingSteps(zone, records, changed, isChecked))
  const invalid = all.filter(({ error }) => error.code === 'validation')
  return invalid.length > 0 ? invalid : all
}
