import { and, eq, sql } from 'drizzle-orm'
import type { HostArea } from '../../../host/contract/driver.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { label, MAX_HOSTNAME_LENGTH } from '../../../shared/patterns.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { parentsOf } from '../../accounts/operations/names.ts'
import { isWithin, relative } from '../../dns/names.ts'
import { outputOf, recordsOf, zoneOfDomain } from '../../dns/store.ts'
import { type RecordRow, records, type ZoneRow, zones } from '../../dns/tables.ts'
import { ZoneIndex } from '../../dns/zone-index.ts'
import { domainById, servedDomains } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { requestLook, verificationOf } from '../../domains/verification/store.ts'
import { ips } from '../../ips/tables.ts'
import type { EffectiveRouting, EmailDomainRow } from '../tables.ts'
import { emailDomainById, setEmailDomain } from './store.ts'

/** The zone with a domain's records, and the domain's name in it. */
export interface MailHost {
  readonly zone: ZoneRow
  readonly name: string
}

const queries = prepared((db: Db) => ({
  zonesNamed: db
    .select()
    .from(zones)
    .where(sql`${zones.name} IN (SELECT value FROM json_each(${sql.placeholder('names')}))`)
    .prepare(),
  ip: db
    .select({ id: ips.id })
    .from(ips)
    .where(eq(ips.address, sql.placeholder('address')))
    .prepare(),
  exchanges: db
    .select()
    .from(records)
    .where(
      and(
        eq(records.zone_id, sql.placeholder('zone')),
        eq(records.type, 'MX'),
        eq(records.name, sql.placeholder('name')),
      ),
    )
    .prepare(),
}))

/** The place of a domain's records; a subdomain's are in its parent's zone. */
export function placeOf(db: Db, domain: Pick<DomainRow, 'id' | 'name' | 'kind' | 'parent_id'>): MailHost | undefined {
  const zone = zoneOfDomain(db, domain.kind === 'sub' ? domain.parent_id! : domain.id)
  return zone && isWithin(domain.name, zone.name) ? { zone, name: relative(domain.name, zone.name) } : undefined
}

const hostIn = (value: string, { name }: ZoneRow): string => (value === '@' ? name : value)

/** Whether a host is this server: by name, or by an address in one of its zones. */
function isOwn(db: Db, host: string, hostname: string): boolean {
  if (host === hostname) return true
  const names = [host, ...parentsOf(host)]
  const near = queries(db).zonesNamed.all({ names: JSON.stringify(names) })
  const zone = near.toSorted((a, b) => b.name.length - a.name.length)[0]
  return (
    zone !== undefined && addressesOf(db, zone, relative(host, zone.name)).some((address) => isLocalIp(db, address))
  )
}

const addressesOf = (db: Db, zone: ZoneRow, name: string): string[] =>
  new ZoneIndex(recordsOf(db, zone.id).map(outputOf))
    .answering(name)
    .filter(({ type }) => type === 'A' || type === 'AAAA')
    .map(({ value }) => value)

const isLocalIp = (db: Db, address: string): boolean => queries(db).ip.get({ address }) !== undefined

const exchangesOf = (db: Db, { zone, name }: MailHost): RecordRow[] =>
  queries(db).exchanges.all({ zone: zone.id, name })

const MAX_EXCHANGERS = 100
const hostPattern = new RegExp(`^(?:${label}\\.)*${label}$`)
const isHost = (name: string): boolean => name.length <= MAX_HOSTNAME_LENGTH && hostPattern.test(name)

/** The names of a domain's mail servers by its zone, the first first; without any, the domain itself. */
export function exchangersOf(db: Db, domain: DomainRow): string[] {
  const place = placeOf(db, domain)
  if (!place) return [`mail.${domain.name}`]
  const sorted = exchangesOf(db, place).toSorted((a, b) => a.priority! - b.priority!)
  const hosts = sorted.map(({ value }) => hostIn(value, place.zone)).filter(isHost)
  return hosts.length > 0 ? [...new Set(hosts)].slice(0, MAX_EXCHANGERS) : [domain.name]
}

function byExchanges(db: Db, { zone, name }: MailHost, hostname: string): EffectiveRouting {
  const exchanges = exchangesOf(db, { zone, name })
  if (exchanges.length === 0) return 'local'
  const lowest = Math.min(...exchanges.map(({ priority }) => priority!))
  const own = exchanges.filter(({ value }) => isOwn(db, hostIn(value, zone), hostname))
  if (own.some(({ priority }) => priority === lowest)) return 'local'
  return own.length > 0 ? 'backup' : 'remote'
}

/**
 * A domain's effective routing. Until a domain is verified, the world's mail servers decide; then as set, or by the
 * public MX records: those of the zone, unless public name servers lead elsewhere.
 */
export function routingOf(db: Db, domain: DomainRow, { routing }: EmailDomainRow, hostname: string): EffectiveRouting {
  const verification = verificationOf(db, domain)
  if (!verification?.verified_by) return 'remote'
  if (routing !== 'auto') return routing
  const { is_delegated, public_routing } = verification
  if (is_delegated === false && public_routing !== null && domain.kind !== 'sub') return public_routing
  const place = placeOf(db, domain)
  return place ? byExchanges(db, place, hostname.toLowerCase()) : 'local'
}

/** Whether a domain's mail is kept here. */
export function takesMail(db: Db, domain: DomainRow, hostname: string): boolean {
  const row = emailDomainById(db, domain.id)
  return row !== undefined && routingOf(db, domain, row, hostname) === 'local'
}

/** The domains with records in a zone. */
export const domainsIn = (db: Db, account: string, domain: string): DomainRow[] =>
  servedDomains(db, account).filter(
    ({ id, parent_id, kind }) => id === domain || (kind === 'sub' && parent_id === domain),
  )

/** Records the routing that is about to be applied; returns whether it differs from the one before. */
function noteRouting({ db, store, runtime }: Pick<Context, 'store' | 'db' | 'runtime'>, domain: DomainRow): boolean {
  const row = emailDomainById(db, domain.id)
  const routing = row && routingOf(db, domain, row, runtime.hostname)
  if (!routing || routing === row.told_routing) return false
  setEmailDomain({ store }, domain.id, { told_routing: routing })
  return true
}

/** The host areas to apply if a zone's change affects mail routing; the domain's public records may change, too. */
export function appliesMail(
  ctx: Pick<Context, 'store' | 'db' | 'runtime'>,
  { account_id, domain_id }: ZoneRow,
): HostArea[] {
  const domain = domainById(ctx.db, domain_id)
  if (domain) requestLook({ ...ctx, now: ctx.runtime.clock.now() }, domain)
  const changed = domainsIn(ctx.db, account_id, domain_id).filter((one) => noteRouting(ctx, one))
  return changed.length > 0 ? ['mail', 'web'] : []
}

/** A domain's verification has changed, and that of its subdomains. */
export function followVerification(ctx: Pick<Context, 'store' | 'db' | 'runtime'>, domain: DomainRow): void {
  for (const one of domainsIn(ctx.db, domain.account_id, domain.id)) noteRouting(ctx, one)
}
