import type * as declared from '../../contract/dns.ts'
import { maxChanges } from '../../contract/dns.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { type BatchEntry, changeZone, type ToProblem } from './change.ts'
import { withProblems } from './error.ts'
import { changedOf, newRecordOf } from './records.ts'
import { carry } from './save-zone.ts'
import { recordsWithIds, toRecord, toZone } from './store.ts'
import type { RecordRow } from './tables.ts'

type Body = Input<typeof declared.changeDnsRecords>['body']
type Lists = Required<Pick<Body, 'delete' | 'update' | 'create'>>

/** Reports a fault under the list that holds the item. */
const atItem =
  (place: BatchEntry): ToProblem =>
  (error) => {
    const message = `item ${place.at + 1}: ${error.field}: ${error.message}`
    return new Problem(error.code, `${place.list}: ${message}`, { [place.list]: message })
  }

/** Removing what others need is reported without an item: several may have contributed. */
const toProblem: ToProblem = (error, place, record) =>
  place ? atItem(place)(error, place, record) : new Problem(error.code, error.message)

const item = (list: BatchEntry['list'], at: number, message: string) => invalid(list, `item ${at + 1}: ${message}`)

function refuseCount({ delete: gone, update, create }: Lists): void {
  const total = gone.length + update.length + create.length
  if (total === 0) throw invalid('create', 'name at least one record to delete, update or create')
  if (total > maxChanges) throw invalid('create', `name at most ${maxChanges} records in all, not ${total}`)
}

function rowsOf(list: 'delete' | 'update', ids: readonly string[], there: ReadonlyMap<string, RecordRow>): RecordRow[] {
  return ids.map((id, at) => {
    if (ids.indexOf(id) !== at) throw item(list, at, 'names the same record again')
    const row = there.get(id)
    if (!row) throw item(list, at, 'names no record of the zone')
    return row
  })
}

function editOf({ db, found }: Context & { found: Parameters<typeof toEdit>[0] }, lists: Lists) {
  const ids = [...lists.delete, ...lists.update.map(({ id }) => id)]
  const there = recordsWithIds(db, found.zone.id, ids)
  return toEdit(found, new Map(there.map((row) => [row.id, row])), lists)
}

function toEdit(
  { zone }: { zone: Parameters<typeof newRecordOf>[1] },
  there: ReadonlyMap<string, RecordRow>,
  lists: Lists,
) {
  const deletes = rowsOf('delete', lists.delete, there)
  const rows = rowsOf(
    'update',
    lists.update.map(({ id }) => id),
    there,
  )
  const twice = rows.findIndex(({ id }) => lists.delete.includes(id))
  if (twice >= 0) throw item('update', twice, 'names a record that is deleted too')
  const at = <T>(list: BatchEntry['list'], n: number, work: () => T): T =>
    withProblems(work, (error) => atItem({ list, at: n })(error, undefined, undefined as never))
  const updates = lists.update.map(({ id: _, ...change }, n) =>
    at('update', n, () => changedOf(rows[n]!, change, zone)),
  )
  const creates = lists.create.map((input, n) => at('create', n, () => newRecordOf(input, zone)))
  return { deletes, updates, creates }
}

export const changeDnsRecords: Handler<typeof declared.changeDnsRecords> = {
  handle(ctx, { body: { serial, ...input } }) {
    const { account, zone } = ctx.found
    const lists: Lists = { delete: [], update: [], create: [], ...input }
    refuseCount(lists)
    const changed = changeZone(ctx, account, zone, editOf(ctx, lists), { serial, toProblem })
    const [deleted, updated, created] = [changed.deleted, changed.updated, changed.created]
    ctx.note({
      account,
      object_id: zone.id,
      after: { deleted: deleted.length, updated: updated.length, created: created.length },
    })
    return {
      zone: toZone(ctx, changed.zone),
      deleted: deleted.map(({ id }) => id),
      updated: updated.map(toRecord),
      created: created.map(toRecord),
      job_id: carry(ctx, account, zone),
    }
  },
}
