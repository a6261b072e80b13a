import { and, eq } from 'drizzle-orm'
import type * as declared from '../../contract/dns.ts'
import type { Context } from '../../runtime/context.ts'
import type { Handler } from '../../runtime/run.ts'
import type { FoundAccount } from '../accounts/found.ts'
import { type Changed, changeZone, type Edit, noEdit, type Wanted } from './change.ts'
import { judged, problemOf } from './fault.ts'
import { type GivenRecord, recordOf } from './rules.ts'
import { pageOfRecords, saidBy, toRecord } from './store.ts'
import { type RecordRow, records, type ZoneRow } from './tables.ts'
import { carry } from './write.ts'

export const listDnsRecords: Handler<typeof declared.listDnsRecords> = {
  handle(ctx, { query: { type, managed, ...query } }) {
    const { zone } = ctx.found
    const which = and(type && eq(records.type, type), managed === undefined ? undefined : eq(records.managed, managed))
    const { items, total } = pageOfRecords(ctx, zone.id, query, which)
    return { items: items.map(toRecord), total, serial: zone.serial }
  },
}

export const getDnsRecord: Handler<typeof declared.getDnsRecord> = { handle: ({ found }) => toRecord(found.record) }

export const wantedOf = (given: GivenRecord, zone: ZoneRow): Wanted => ({
  record: recordOf(given, zone.name),
  ttl: given.ttl,
})

/** A record with its changes. */
export const changedOf = (row: RecordRow, change: Partial<GivenRecord>, zone: ZoneRow) => {
  const { ttl, ...said } = saidBy(row)
  return { ...wantedOf({ ...said, ...change, ttl: change.ttl === undefined ? (ttl ?? null) : change.ttl }, zone), row }
}

type Here = Context & { readonly found: { readonly account: FoundAccount; readonly zone: ZoneRow } }

const alone = (ctx: Here, edit: Partial<Edit>, serial: number | undefined): Changed =>
  changeZone(ctx, ctx.found.account, ctx.found.zone, { ...noEdit, ...edit }, { serial, told: problemOf })

function answer(ctx: Here, { zone }: Changed, row: RecordRow, before?: RecordRow) {
  const { account } = ctx.found
  ctx.note({
    account,
    object_id: row.id,
    ...(before ? { before: saidBy(before) as never } : {}),
    after: saidBy(row) as never,
  })
  return { record: toRecord(row), serial: zone.serial, job_id: carry(ctx, account, zone) }
}

export const createDnsRecord: Handler<typeof declared.createDnsRecord> = {
  handle(ctx, { body: { serial, ...given } }) {
    const wanted = judged(() => wantedOf(given, ctx.found.zone))
    const changed = alone(ctx, { creates: [wanted] }, serial)
    return answer(ctx, changed, changed.created[0]!)
  },
}

export const updateDnsRecord: Handler<typeof declared.updateDnsRecord> = {
  handle(ctx, { body: { serial, ...change } }) {
    const { zone, record } = ctx.found
    const update = judged(() => changedOf(record, change, zone))
    const changed = alone(ctx, { updates: [update] }, serial)
    return answer(ctx, changed, changed.updated[0]!, record)
  },
}

export const deleteDnsRecord: Handler<typeof declared.deleteDnsRecord> = {
  handle(ctx, { query }) {
    const { record } = ctx.found
    return answer(ctx, alone(ctx, { deletes: [record] }, query.serial), record)
  },
}
