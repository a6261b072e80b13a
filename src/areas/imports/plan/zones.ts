import { isIP } from 'node:net'
import type { ImportSource } from '../../../host/contract/driver.ts'
import { ZoneError } from '../../dns/error.ts'
import { isAddress } from '../../dns/managed.ts'
import { isWithin, normalized, relative } from '../../dns/names.ts'
import { type RecordInput, recordOf, servedTtl } from '../../dns/rules.ts'
import { parseZoneFile } from '../../dns/zone-file/parse.ts'
import type { PlannedDomain } from './domains.ts'
import { mapped, type Planning, refuseUnmapped, skips } from './planning.ts'

/** Names of the former panel's services, which are dropped where they lead to its server. */
const services = /^(?:cpanel|whm|webmail|webdisk|cpcontacts|cpcalendars|autodiscover|autoconfig|mail|www)$/

/** Records that the former panel made for itself, wherever they lead. */
const checks = /^(?:_cpanel-dcv-test-record|_acme-challenge)(?:\.|$)/
const discovery = /^_(?:autodiscover|caldavs?|carddavs?)\._tcp$/

export interface PlannedRecord {
  readonly line: number
  readonly label: string
  readonly record: RecordInput
  /** It has the account's address, and follows it. */
  readonly follows: boolean
}

export interface PlannedZone {
  readonly domain: string
  /** Records of the customer's, each with its line of the zone's file. */
  readonly records: readonly PlannedRecord[]
}

/** Stands for the address of the account, which is known once it is made. */
const ACCOUNT_ADDRESS = '0.0.0.0'

/** The record's value with the addresses of the account in place of the former ones; undefined without one of its family. */
export function withAddresses({ type, value: text }: RecordInput, addresses: readonly string[]): string | undefined {
  const ofFamily = (version: number) => addresses.find((one) => isIP(one) === version)
  if (isAddress({ type })) return text === ACCOUNT_ADDRESS ? ofFamily(type === 'A' ? 4 : 6) : text
  return text
    .replaceAll(`ip4:${ACCOUNT_ADDRESS}`, () => mechanism(ofFamily(4) ?? addresses[0]!))
    .replaceAll(`ip6:${ACCOUNT_ADDRESS}`, () => mechanism(ofFamily(6) ?? addresses[0]!))
}

const mechanism = (address: string): string => `ip${isIP(address)}:${address}`

/** Zones, record by record. */
export function planZones(at: Planning, domains: readonly PlannedDomain[]): PlannedZone[] {
  const { source, report } = at
  refuseUnmapped(at, 'ips', source.plan.ips)
  refuseInvalidAddresses(at)
  const planned: PlannedZone[] = []
  if (skips(at, 'dns')) return planned
  for (const zone of source.zones) {
    const { name, text, isSigned } = zone
    const domain = domains.find((one) => one.source.name === name)
    if (!domain) report.add('dns', name, 'not_possible', 'the zone of a domain that does not come')
    else if (domain.kind === 'sub')
      report.add('dns', name, 'not_possible', 'records of a subdomain are in the zone of its domain here')
    else if (at.options.dns === 'template') sayTemplate(at, name, text)
    else planned.push(new ZonePlan(at, zone, domain.name).plan(text))
    if (isSigned)
      report.add(
        'dns',
        `${name} DNSSEC`,
        'not_possible',
        'signing keys are not taken: remove the DS record at the registrar and wait for its TTL before the name servers change',
      )
  }
  return planned
}

function refuseInvalidAddresses({ options, report }: Planning): void {
  for (const [ip, now] of Object.entries(options.map?.ips ?? {}))
    if (now !== null && isIP(now) !== isIP(ip))
      report.add('dns', ip, 'conflict', `map.ips: ${now} must be an address of the same family`)
}

function sayTemplate({ report }: Planning, zone: string, text: string): void {
  const labels = parse(text, zone).records.map(({ record }) => `${nameIn(record.name, zone)} ${record.type}`)
  report.add(
    'dns',
    zone,
    'changed',
    `the records are those of a new zone; ${counted(labels.length)} of the archive ${labels.length === 1 ? 'is' : 'are'} left out${labels.length > 0 ? `: ${listed(labels)}` : ''}`,
  )
}

const nameIn = (name: string, zone: string): string => {
  const spelled = normalized(name.replace(/\.$/, ''))
  return isWithin(spelled, zone) ? relative(spelled, zone) : spelled
}

interface ReadRecord {
  readonly line: number
  readonly name: string
  readonly label: string
  readonly record: RecordInput
}

/** Where the addresses of a name lead. */
interface Place {
  isFormer: boolean
  isElsewhere: boolean
}

/** Splits the records of a zone into those of the former server, and those that are the customer's. */
class ZonePlan {
  readonly #at: Planning
  readonly #zone: string
  /** Where the archive has it: absent if a reader put the zone together. */
  readonly #file: { readonly file?: string }
  readonly #now: string
  #read: readonly ReadRecord[] = []
  #places: ReadonlyMap<string, Place> = new Map()
  #hasOwnMx = false
  /** Also where the apex has no address. */
  #isApexFormer = true

  constructor(at: Planning, { name, file }: ImportSource['zones'][number], now: string) {
    this.#at = at
    this.#zone = name
    this.#file = file === undefined ? {} : { file }
    this.#now = now
  }

  plan(text: string): PlannedZone {
    const { records, skipped, errors } = parse(text, this.#zone)
    this.#read = records.map(({ line, record }) => {
      const name = nameIn(record.name, this.#zone)
      return { line, name, label: `${name} ${record.type}`, record }
    })
    this.#isApexFormer = this.#read.every(
      ({ name, record }) => name !== '@' || !isAddress(record) || this.#isFormer(record.value),
    )
    this.#places = this.#placesOf()
    this.#hasOwnMx = this.#read.some((one) => one.label === '@ MX' && !this.#isFormerMx(one))
    const coming = this.#read.filter((one) => !this.#isLeftOut(one))
    const dropped = coming.filter((one) => this.#isOfService(one))
    const gone = new Set(dropped)
    const remaining = coming.flatMap((one) => (gone.has(one) ? [] : (this.#planned(one) ?? [])))
    this.#say(remaining)
    const ofServer = skipped.filter(({ reason }) => madeByServer.test(reason)).length
    if (dropped.length > 0 || ofServer > 0) this.#sayDropped(dropped, ofServer)
    for (const { line, reason } of skipped) if (!madeByServer.test(reason)) this.#refuse(line, reason)
    for (const { line, message } of errors) this.#refuse(line, message)
    return { domain: this.#now, records: remaining }
  }

  #placesOf(): Map<string, Place> {
    const places = new Map<string, Place>()
    for (const { name, record } of this.#read) {
      const place = places.get(name) ?? { isFormer: false, isElsewhere: false }
      places.set(name, place)
      if (isAddress(record)) place[this.#isFormer(record.value) ? 'isFormer' : 'isElsewhere'] = true
      else place.isFormer ||= this.#leadsToFormer(record)
    }
    return places
  }

  #refuse(line: number, reason: string): void {
    this.#at.report.add('dns', `${this.#zone} line ${line}`, 'not_possible', reason, { ...this.#file, line })
  }

  #isLeftOut({ line, label, record }: ReadRecord): boolean {
    const isOut = isAddress(record) && this.#isFormer(record.value) && mapped(this.#at, 'ips', record.value) === null
    if (isOut) this.#refuse(line, `${label}: left out by map.ips`)
    return isOut
  }

  #isFormer(address: string): boolean {
    return this.#at.source.plan.ips.includes(address)
  }

  /** The former panel's own record, or one for which a new zone has its own. */
  #isOfService(one: ReadRecord): boolean {
    const { name, record } = one
    if (checks.test(name)) return true
    if (discovery.test(name)) return record.type === 'SRV' || record.type === 'TXT'
    if (name === '@' && record.type === 'MX') return !this.#isShared(one) && this.#isFormerMx(one)
    if (services.test(name)) return this.#leadsToFormer(record) && !this.#isShared(one)
    return false
  }

  /** Other records for the same lead elsewhere: all of them come. */
  #isShared({ name, record }: ReadRecord): boolean {
    return record.type === 'MX' ? this.#hasOwnMx : isAddress(record) && this.#places.get(name)!.isElsewhere
  }

  #leadsToFormer({ type, value }: RecordInput): boolean {
    if (isAddress({ type })) return this.#isFormer(value)
    return type === 'CNAME' && nameIn(value, this.#zone) === '@' && this.#isApexFormer
  }

  #isFormerMx({ record: { value } }: ReadRecord): boolean {
    if (this.#routing === 'remote' || this.#routing === 'secondary') return false
    const name = nameIn(value, this.#zone)
    if (name === '@') return this.#isApexFormer
    return this.#places.get(name)?.isFormer ?? false
  }

  get #routing(): string | undefined {
    return this.#at.source.mailDomains.find(({ domain }) => domain === this.#zone)?.routing
  }

  #planned(one: ReadRecord): PlannedRecord | undefined {
    const { line, label, name, record } = one
    const value =
      name === '@' && record.type === 'MX' && this.#isFormerMx(one)
        ? `mail.${this.#now}.`
        : renamedIn(this.#addressed(record), this.#zone, this.#now)
    const now = { ...record, name, value }
    const problem = problemOf(now, this.#now)
    if (problem !== undefined) this.#refuse(line, `${label}: ${problem}`)
    return problem === undefined
      ? { line, label, record: now, follows: isAddress(record) && value === ACCOUNT_ADDRESS }
      : undefined
  }

  #addressed({ type, value }: RecordInput): string {
    const moving = this.#at.source.plan.ips.filter((ip) => mapped(this.#at, 'ips', ip) !== null)
    return moving.reduce((text, ip) => {
      const now = mapped(this.#at, 'ips', ip)!
      return withAddress(text, type, ip, now === ip ? undefined : now)
    }, value)
  }

  #say(remaining: readonly PlannedRecord[]): void {
    const { report } = this.#at
    const zone = this.#zone
    const before = new Map(this.#read.map((one) => [one.line, one.record.value]))
    const isMoved = ({ line, record }: PlannedRecord) => renamedIn(before.get(line)!, zone, this.#now) !== record.value
    const [keys, others] = [remaining.filter(isFormerKey), remaining.filter((one) => !isFormerKey(one))]
    const [moved, unchanged] = [others.filter(isMoved), others.filter((one) => !isMoved(one))]
    const labels = (records: readonly PlannedRecord[]) => listed(records.map(({ label }) => label))
    if (unchanged.length > 0) report.add('dns', zone, 'as_is', `${counted(unchanged.length)}: ${labels(unchanged)}`)
    if (moved.length > 0)
      report.add(
        'dns',
        `${zone} addresses`,
        'changed',
        `${counted(moved.length)} with the address of this server: ${labels(moved)}`,
      )
    for (const { line } of keys)
      report.add(
        'dns',
        `${zone} default._domainkey`,
        'changed',
        'stays beside the key that signs mail here, panel1: it signed mail that is under way; delete it after 30 days',
        { ...this.#file, line },
      )
  }

  #sayDropped(dropped: readonly ReadRecord[], ofServer: number): void {
    const labels = dropped.map(({ label }) => label)
    const all = [...labels, ...(ofServer > 0 ? ['SOA and NS of the zone'] : [])]
    this.#at.report.add(
      'dns',
      `${this.#zone} services`,
      'changed',
      `${counted(labels.length + ofServer)} of the former server left out: ${listed(all)}`,
    )
  }
}

/** Of the reader's reasons: those for records that each server has of its own. */
const madeByServer = /^SOA is made by the server$|^the zone's name servers are those of the server$/

const isFormerKey = ({ label }: PlannedRecord): boolean => label === 'default._domainkey TXT'

const counted = (count: number): string => `${count} ${count === 1 ? 'record' : 'records'}`

/** Why our rules refuse a record. */
function problemOf(record: RecordInput, zone: string): string | undefined {
  const isPlaceholder = record.type === 'AAAA' && record.value === ACCOUNT_ADDRESS
  try {
    recordOf({ ...record, ttl: servedTtl(record.ttl), ...(isPlaceholder && { value: '::' }) }, zone)
    return undefined
  } catch (error) {
    if (error instanceof ZoneError) return `${error.field} ${error.message}`
    throw error
  }
}

/** An address record of the old server, or what a sender policy says of it. */
function withAddress(value: string, type: string, ip: string, now = ACCOUNT_ADDRESS): string {
  if (isAddress({ type })) return value === ip ? now : value
  return type === 'TXT'
    ? value.replaceAll(new RegExp(`(ip[46]:)${ip.replaceAll('.', '\\.')}(?![\\w.:])`, 'g'), `$1${now}`)
    : value
}

/** Names of a zone that gets another name. */
const renamedIn = (value: string, from: string, to: string): string =>
  from === to ? value : value.replaceAll(new RegExp(`(?<=^|\\.)${from.replaceAll('.', '\\.')}(?=\\.?$)`, 'g'), to)

const MAX_LISTED = 20
const listed = (labels: readonly string[]): string =>
  labels.length > MAX_LISTED ? `${labels.slice(0, MAX_LISTED).join(', ')} …` : labels.join(', ')

function parse(text: string, zone: string) {
  try {
    return parseZoneFile(text, zone)
  } catch (error) {
    return { records: [], skipped: [], errors: [{ line: 1, message: (error as Error).message }] }
  }
}
