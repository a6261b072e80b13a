import { and, eq } from 'drizzle-orm'
import type * as declared from '../../contract/dns.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { runToEnd } from '../../runtime/operations/slices.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { type Changed, changeZone, type Edit, type NewRecord, noEdit } from './change.ts'
import { withRoom } from './displaced.ts'
import { problemOf, withProblems } from './error.ts'
import { type RecordInput, recordOf } from './rules.ts'
import { carry } from './save-zone.ts'
import { outputOf, pageOfRecords, toRecord } from './store.ts'
import { type RecordRow, records, type ZoneRow } from './tables.ts'

export const listDnsRecords: Handler<typeof declared.listDnsRecords> = {
  handle(ctx, { query: { type, managed, ...query } }) {
    const { zone } = ctx.found
    const which = and(type && eq(records.type, type), managed === undefined ? undefined : eq(records.managed, managed))
    const { items, total } = pageOfRecords(ctx, zone.id, query, which)
    return { items: items.map(toRecord), total, serial: zone.serial }
  },
}

export const getDnsRecord: Handler<typeof declared.getDnsRecord> = { handle: ({ found }) => toRecord(found.record) }

export const newRecordOf = (input: RecordInput, zone: ZoneRow): NewRecord => ({
  record: recordOf(input, zone.name),
  ttl: input.ttl,
})

/** A record with its changes. */
export const changedOf = (row: RecordRow, change: Partial<RecordInput>, zone: ZoneRow) => {
  const { ttl, ...values } = outputOf(row)
  return {
    ...newRecordOf({ ...values, ...change, ttl: change.ttl === undefined ? (ttl ?? null) : change.ttl }, zone),
    row,
  }
}

type RecordsContext = Context & { readonly found: { readonly account: FoundAccount; readonly zone: ZoneRow } }

function alone(ctx: RecordsContext, requested: Partial<Edit>, serial: number | undefined): Changed {
  const { account, zone } = ctx.found
  const edit = runToEnd(withRoom(ctx.db, zone.id, { ...noEdit, ...requested }))
  return changeZone(ctx, account, zone, edit, { serial, toProblem: problemOf })
}

function answer(ctx: RecordsContext, { zone }: Changed, row: RecordRow, before?: RecordRow) {
  const { account } = ctx.found
  ctx.note({
    account,
    object_id: row.id,
    ...(before ? { before: outputOf(before) as never } : {}),
    after: outputOf(row) as never,
  })
  return { record: toRecord(row), serial: zone.serial, job_id: carry(ctx, account, zone) }
}

export const createDnsRecord: Handler<typeof declared.createDnsRecord> = {
  handle(ctx, { body: { serial, ...input } }) {
    const newRecord = withProblems(() => newRecordOf(input, ctx.found.zone))
    const changed = alone(ctx, { creates: [newRecord] }, serial)
    return answer(ctx, changed, changed.created[0]!)
  },
}

export const updateDnsRecord: Handler<typeof declared.updateDnsRecord> = {
  handle(ctx, { body: { serial, ...change } }) {
    const { zone, record } = ctx.found
    const update = withProblems(() => changedOf(record, change, zone))
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
