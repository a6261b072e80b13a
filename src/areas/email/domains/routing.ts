import { and, eq, sql } from 'drizzle-orm'
import type { HostArea } from '../../../host/driver.ts'
import type { Context } from '../../../runtime/context.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { parentsOf } from '../../accounts/names.ts'
import { isWithin, relative } from '../../dns/names.ts'
import { recordsOf, saidBy, zoneOfDomain } from '../../dns/store.ts'
import { type RecordRow, records, type ZoneRow, zones } from '../../dns/tables.ts'
import { ZoneIndex } from '../../dns/zone-index.ts'
import { servedDomains } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { ips } from '../../ips/tables.ts'
import type { EffectiveRouting, EmailDomainRow } from '../tables.ts'
import { emailDomainById, setEmailDomain } from './store.ts'

/** The zone with a domain's records, and the domain's name in it. */
export interface Place {
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
export function placeOf(db: Db, domain: Pick<DomainRow, 'id' | 'name' | 'kind' | 'parent_id'>): Place | undefined {
  const zone = zoneOfDomain(db, domain.kind === 'sub' ? domain.parent_id! : domain.id)
  return zone && isWithin(domain.name, zone.name) ? { zone, name: relative(domain.name, zone.name) } : undefined
}

const hostIn = (value: string, { name }: ZoneRow): string => (value === '@' ? name : value)

/** Whether a host is this server: by name, or by an address in one of its zones. */
function isOurs(db: Db, host: string, hostname: string): boolean {
  if (host === hostname) return true
  const names = [host, ...parentsOf(host)]
  const near = queries(db).zonesNamed.all({ names: JSON.stringify(names) })
  const zone = near.toSorted((a, b) => b.name.length - a.name.length)[0]
  return zone !== undefined && addressesOf(db, zone, relative(host, zone.name)).some((address) => isIpHere(db, address))
}

const addressesOf = (db: Db, zone: ZoneRow, name: string): string[] =>
  new ZoneIndex(recordsOf(db, zone.id).map(saidBy))
    .answering(name)
    .filter(({ type }) => type === 'A' || type === 'AAAA')
    .map(({ value }) => value)

const isIpHere = (db: Db, address: string): boolean => queries(db).ip.get({ address }) !== undefined

const exchangesOf = (db: Db, { zone, name }: Place): RecordRow[] => queries(db).exchanges.all({ zone: zone.id, name })

function byExchanges(db: Db, { zone, name }: Place, hostname: string): EffectiveRouting {
  const exchanges = exchangesOf(db, { zone, name })
  if (exchanges.length === 0) return 'local'
  const lowest = Math.min(...exchanges.map(({ priority }) => priority!))
  const ours = exchanges.filter(({ value }) => isOurs(db, hostIn(value, zone), hostname))
  if (ours.some(({ priority }) => priority === lowest)) return 'local'
  return ours.length > 0 ? 'backup' : 'remote'
}

/** A domain's effective routing: as set, or by its MX records. */
export function routingOf(db: Db, domain: DomainRow, { routing }: EmailDomainRow, hostname: string): EffectiveRouting {
  if (routing !== 'auto') return routing
  const place = placeOf(db, domain)
  return place ? byExchanges(db, place, hostname.toLowerCase()) : 'local'
}

/** The host areas to apply if a zone's change affects mail routing. */
export function appliesMail(
  { db, store, runtime }: Pick<Context, 'store' | 'db' | 'runtime'>,
  zone: ZoneRow,
): HostArea[] {
  const near = servedDomains(db, zone.account_id).filter(
    ({ id, parent_id, kind }) => id === zone.domain_id || (kind === 'sub' && parent_id === zone.domain_id),
  )
  const changed = near.filter((domain) => {
    const row = emailDomainById(db, domain.id)
    const routing = row && routingOf(db, domain, row, runtime.hostname)
    if (!routing || routing === row.told_routing) return false
    setEmailDomain({ store }, domain.id, { told_routing: routing })
    return true
  })
  return changed.length > 0 ? ['mail'] : []
}
