import { and, count, eq, type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { DnsRecord, Zone } from '../../contract/dns.ts'
import { notFound } from '../../contract/problem.ts'
import type { Reads, Writes } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Steps } from '../../runtime/operations/slices.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import type { Db } from '../../store/open.ts'
import { page, type Search } from '../../store/page.ts'
import { prepared } from '../../store/prepared.ts'
import { insertInto, update } from '../../store/rows.ts'
import { objectsOf } from '../accounts/objects/objects.ts'
import { topOf } from './migrations.ts'
import { type RecordRow, records, type ZoneRow, zones } from './tables.ts'

export const zonesOf = objectsOf(zones, { noun: 'zone', name: zones.name })

const queries = prepared((db: Db) => ({
  count: db
    .select({ total: count() })
    .from(records)
    .where(eq(records.zone_id, sql.placeholder('zone')))
    .prepare(),
  byId: db
    .select()
    .from(zones)
    .where(eq(zones.id, sql.placeholder('id')))
    .prepare(),
  ofDomain: db
    .select()
    .from(zones)
    .where(eq(zones.domain_id, sql.placeholder('domain')))
    .prepare(),
  ofZone: db
    .select()
    .from(records)
    .where(eq(records.zone_id, sql.placeholder('zone')))
    .orderBy(records.id)
    .prepare(),
  after: db
    .select({ row: records, at: sql<number>`${records}.rowid` })
    .from(records)
    .where(and(eq(records.zone_id, sql.placeholder('zone')), sql`${records}.rowid > ${sql.placeholder('after')}`))
    .orderBy(sql`${records}.rowid`)
    .limit(sql.placeholder('count'))
    .prepare(),
  withIds: db
    .select()
    .from(records)
    .where(
      and(
        eq(records.zone_id, sql.placeholder('zone')),
        sql`${records.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`,
      ),
    )
    .orderBy(records.id)
    .prepare(),
  under: db
    .select()
    .from(records)
    .where(
      and(
        eq(records.zone_id, sql.placeholder('zone')),
        sql`${sql.raw(topOf('name'))} IN (SELECT value FROM json_each(${sql.placeholder('tops')}))`,
      ),
    )
    .orderBy(records.id)
    .prepare(),
  // As literals: the index is used only where SQLite sees the same types.
  pointers: db
    .select({ name: records.name, value: records.value })
    .from(records)
    .where(and(eq(records.zone_id, sql.placeholder('zone')), sql`${records.type} IN ('MX', 'NS', 'SRV')`))
    .prepare(),
}))

export const recordCount = ({ db }: Reads, zone: string): number => queries(db).count.get({ zone })!.total
export const zoneById = (db: Db, id: string): ZoneRow | undefined => queries(db).byId.get({ id })
export const zoneOfDomain = (db: Db, domain: string): ZoneRow | undefined => queries(db).ofDomain.get({ domain })
/** In order of creation. */
export const recordsOf = (db: Db, zone: string): RecordRow[] => queries(db).ofZone.all({ zone })

/** Rows that one step reads: a large zone takes many. */
const ROWS_PER_STEP = 100

/** What a query finds for each part of a list, in order of creation. */
function* inParts<T>(all: readonly T[], read: (part: string) => RecordRow[]): Steps<RecordRow[]> {
  const rows: RecordRow[] = []
  for (let first = 0; first < all.length; first += ROWS_PER_STEP) {
    rows.push(...read(JSON.stringify(all.slice(first, first + ROWS_PER_STEP))))
    yield
  }
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1))
}

/** Records at or below names directly below the zone's own, which is `@`; in order of creation. */
export const recordsUnder = (db: Db, zone: string, tops: readonly string[]): Steps<RecordRow[]> =>
  inParts(tops, (part) => queries(db).under.all({ zone, tops: part }))

export const recordsWithIds = (db: Db, zone: string, ids: readonly string[]): Steps<RecordRow[]> =>
  inParts(ids, (part) => queries(db).withIds.all({ zone, ids: part }))

/** All records, in order of creation. The caller sees by the zone's serial whether it changed in between. */
export function* recordSteps(db: Db, zone: string): Steps<RecordRow[]> {
  const rows: RecordRow[] = []
  for (let after = 0; ; ) {
    const part = queries(db).after.all({ zone, after, count: ROWS_PER_STEP })
    for (const { row } of part) rows.push(row)
    if (part.length < ROWS_PER_STEP) return rows
    after = part.at(-1)!.at
    yield
  }
}

/** Names and targets of records that point to a host. */
export const pointersOf = (db: Db, zone: string): Pick<RecordRow, 'name' | 'value'>[] =>
  queries(db).pointers.all({ zone })

export function findRecord({ db }: Reads, zone: string, id: string): RecordRow {
  const found = db
    .select()
    .from(records)
    .where(and(eq(records.id, id), eq(records.zone_id, zone)))
    .get()
  if (!found) throw notFound('record')
  return found
}

export function pageOfRecords({ db }: Reads, zone: string, query: Search, more?: SQL) {
  const rows = db.select().from(records).$dynamic()
  const where = and(eq(records.zone_id, zone), more)
  return page(db, { rows, table: records, id: records.id, where, name: [records.name, records.value] }, query)
}

const insertZone = insertInto(zones)
const writeZone = update(zones, 'id = ?')
const writeApplied = update(zones, 'account_id = ? AND name = ?')
const insertRecord = insertInto(records)
const writeRecord = update(records, 'id = ?')

export const addZone = ({ store }: Writes, row: ZoneRow): void => void insertZone(store.sqlite, row)
export const setZone = ({ store }: Writes, id: string, values: Partial<ZoneRow>): void =>
  void writeZone(store.sqlite, values, id)
/** Records the serial that the host has. */
export const setApplied = ({ store }: Writes, account: string, name: string, applied_serial: number): void =>
  void writeApplied(store.sqlite, { applied_serial }, account, name)
export const addRecord = ({ store }: Writes, row: RecordRow): void => void insertRecord(store.sqlite, row)
export const setRecord = ({ store }: Writes, id: string, values: Partial<RecordRow>): void =>
  void writeRecord(store.sqlite, values, id)
export const removeZone = ({ db }: Reads, id: string): void => void db.delete(zones).where(eq(zones.id, id)).run()
export const removeRecord = ({ db }: Reads, id: string): void => void db.delete(records).where(eq(records.id, id)).run()
export const emptyZone = ({ db }: Reads, zone: string): void =>
  void db.delete(records).where(eq(records.zone_id, zone)).run()

/** The record in a row. */
export const outputOf = ({ name, type, value, ...row }: RecordRow): ZoneRecord => ({
  name,
  type,
  value,
  ...extrasOf(row),
})

const extrasOf = ({ ttl, priority, weight, port, flags, tag }: Omit<RecordRow, 'name' | 'type' | 'value'>) =>
  present({ ttl, priority, weight, port, flags, tag })

/** The columns of a record. */
export const columnsOf = ({ name, type, value, ttl, priority, weight, port, flags, tag }: ZoneRecord) => ({
  name,
  type,
  value,
  ttl: ttl ?? null,
  priority: priority ?? null,
  weight: weight ?? null,
  port: port ?? null,
  flags: flags ?? null,
  tag: tag ?? null,
})

/** Row to resource (contract: DnsRecord). */
export const toRecord = (row: RecordRow): z.infer<typeof DnsRecord> => ({
  id: row.id,
  zone_id: row.zone_id,
  ...outputOf(row),
  managed: row.managed,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Row to resource (contract: Zone). */
export const toZone = (ctx: Reads, row: ZoneRow): z.infer<typeof Zone> => ({
  id: row.id,
  name: row.name,
  domain_id: row.domain_id,
  serial: row.serial,
  ttl: row.ttl,
  refresh: row.refresh,
  retry: row.retry,
  expire: row.expire,
  minimum: row.minimum,
  nameservers: [...row.nameservers],
  record_count: recordCount(ctx, row.id),
  dnssec: row.dnskey !== null,
  created_at: row.created_at,
  updated_at: row.updated_at,
  ...present({ applied_serial: row.applied_serial }),
})
