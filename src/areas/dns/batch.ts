import type * as declared from '../../contract/dns.ts'
import { maxChanges } from '../../contract/dns.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { turnOfCaller } from '../../runtime/jobs/shares.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { inSlices, runToEnd, type Steps } from '../../runtime/operations/slices.ts'
import {
  type BatchEntry,
  changeZone,
  type Edit,
  isUnchanged,
  type ToProblem,
  type Validated,
  validateNear,
} from './change.ts'
import { withRoom } from './displaced.ts'
import { withProblems } from './error.ts'
import { changedOf, newRecordOf } from './records.ts'
import { carry } from './save-zone.ts'
import { recordsWithIds, toRecord, toZone, zoneById } from './store.ts'
import type { RecordRow, ZoneRow } from './tables.ts'

type RecordChangesBody = Input<typeof declared.changeDnsRecords>['body']
type Lists = Required<Pick<RecordChangesBody, 'delete' | 'update' | 'create'>>

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

function refuseCount(lists: Lists): void {
  const total = countOf(lists)
  if (total === 0) throw invalid('create', 'name at least one record to delete, update or create')
  if (total > maxChanges) throw invalid('create', `name at most ${maxChanges} records in all, not ${total}`)
}

function rowsOf(list: 'delete' | 'update', ids: readonly string[], there: ReadonlyMap<string, RecordRow>): RecordRow[] {
  const seen = new Set<string>()
  return ids.map((id, at) => {
    if (seen.has(id)) throw item(list, at, 'names the same record again')
    seen.add(id)
    const row = there.get(id)
    if (!row) throw item(list, at, 'names no record of the zone')
    return row
  })
}

function* editOf(db: Context['db'], zone: ZoneRow, lists: Lists): Steps<Edit> {
  const ids = [...lists.delete, ...lists.update.map(({ id }) => id)]
  const there = new Map((yield* recordsWithIds(db, zone.id, ids)).map((row) => [row.id, row]))
  const deletes = rowsOf('delete', lists.delete, there)
  const rows = rowsOf(
    'update',
    lists.update.map(({ id }) => id),
    there,
  )
  const deleted = new Set(lists.delete)
  const twice = rows.findIndex(({ id }) => deleted.has(id))
  if (twice >= 0) throw item('update', twice, 'names a record that is deleted too')
  const updates = yield* each(lists.update, 'update', ({ id: _, ...change }, n) => changedOf(rows[n]!, change, zone))
  const creates = yield* each(lists.create, 'create', (input) => newRecordOf(input, zone))
  return { deletes, updates, creates }
}

/** Reads the items of a list; an error names its item. */
function* each<T, R>(items: readonly T[], list: BatchEntry['list'], read: (one: T, at: number) => R): Steps<R[]> {
  const all: R[] = []
  for (const [at, one] of items.entries()) {
    const toError: Parameters<typeof withProblems>[1] = (error) =>
      atItem({ list, at })(error, undefined, undefined as never)
    all.push(withProblems(() => read(one, at), toError))
    yield
  }
  return all
}

interface BatchPlan {
  readonly edit: Edit
  readonly validated: Validated
}

function* planOf(db: Context['db'], zone: ZoneRow, lists: Lists): Steps<BatchPlan> {
  const requested = yield* editOf(db, zone, lists)
  const edit = yield* withRoom(db, zone.id, requested)
  return { edit, validated: yield* validateNear(db, zone, edit) }
}

/** The plan for a state of the zone, or the error: the change decides whether to report it. */
interface Prepared {
  readonly zone: ZoneRow
  readonly plan?: BatchPlan
  readonly error?: unknown
}

function* prepared(db: Context['db'], found: ZoneRow, lists: Lists): Steps<Prepared> {
  const zone = zoneById(db, found.id) ?? found
  try {
    return { zone, plan: yield* planOf(db, zone, lists) }
  } catch (error) {
    return { zone, error }
  }
}

/** The plan of fewer takes less time than a turn of the event loop. */
const MIN_PREPARED = 50

const listsOf = ({ serial: _, ...input }: RecordChangesBody): Lists => ({
  delete: [],
  update: [],
  create: [],
  ...input,
})
const countOf = ({ delete: gone, update, create }: Lists): number => gone.length + update.length + create.length

function planIn(ctx: Context, zone: ZoneRow, lists: Lists, before: Prepared | undefined): BatchPlan {
  if (!before || !isUnchanged(before.zone, zone)) return runToEnd(planOf(ctx.db, zone, lists))
  if (!before.plan) throw before.error
  return before.plan
}

const MAX_NOTED = 10

/** The first of them, for the audit trail. */
const namesOf = (records: readonly RecordRow[]): string[] =>
  [...new Set(records.map(({ name, type }) => `${name} ${type}`))].slice(0, MAX_NOTED)

export const changeDnsRecords: Handler<typeof declared.changeDnsRecords, Prepared | undefined> = {
  async prepare(ctx, { body }) {
    const lists = listsOf(body)
    const count = countOf(lists)
    if (count < MIN_PREPARED || count > maxChanges) return undefined
    return inSlices(ctx.found.account.id, turnOfCaller(ctx), prepared(ctx.db, ctx.found.zone, lists))
  },
  handle(ctx, { body }, before) {
    const { account, zone } = ctx.found
    const lists = listsOf(body)
    refuseCount(lists)
    const { edit, validated } = planIn(ctx, zone, lists, before)
    const changed = changeZone(ctx, account, zone, edit, { serial: body.serial, toProblem, validated })
    const [deleted, updated, created] = [changed.deleted, changed.updated, changed.created]
    ctx.note({
      account,
      object_id: zone.id,
      after: {
        zone: zone.name,
        records: namesOf([...deleted, ...updated, ...created]),
        ...{ deleted: deleted.length, updated: updated.length, created: created.length },
      },
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
