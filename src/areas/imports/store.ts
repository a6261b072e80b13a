import { and, asc, count, desc, eq, getTableColumns, isNotNull, ne, type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { type Import, type ImportStep, importSteps, type listImports } from '../../contract/imports.ts'
import type { Input } from '../../contract/operation.ts'
import { notFound } from '../../contract/problem.ts'
import type { ImportSource } from '../../host/contract/driver.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context, Writes } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import { page } from '../../store/page.ts'
import { insertInto, update } from '../../store/rows.ts'
import { countsOf } from './plan/report.ts'
import { type ImportHead, type ImportRow, imports, type StepState } from './tables.ts'

/** What an archive holds, with hashes and keys. */
export const purpose = 'import source'

const insert = insertInto(imports)
const write = update(imports, 'id = ?')

export const addImport = ({ store }: Writes, row: ImportRow): void => void insert(store.sqlite, row)
export const setImport = ({ store }: Writes, id: string, values: Partial<ImportRow>): void =>
  void write(store.sqlite, { ...values, ...(values.report && { counts: countsOf(values.report) }) }, id)
export const removeImport = ({ db }: Pick<Context, 'db'>, id: string): void =>
  void db.delete(imports).where(eq(imports.id, id)).run()

export const importById = (db: Db, id: string): ImportRow | undefined =>
  db.select().from(imports).where(eq(imports.id, id)).get()

const { source: _source, report: _report, ...head } = getTableColumns(imports)

/** Root's, or the reseller's own. */
export function findImport({ db, actor }: Context, id: string): ImportHead {
  const found = db.select(head).from(imports).where(eq(imports.id, id)).get()
  if (!found || (!isRoot(actor) && found.owner_id !== actor.id)) throw notFound('import')
  return found
}

type ImportQuery = Input<typeof listImports>['query']

export function pageOfImports({ db, actor }: Context, { status, ...query }: ImportQuery) {
  const conditions: (SQL | undefined)[] = [
    isRoot(actor) ? undefined : eq(imports.owner_id, actor.id),
    status && eq(imports.status, status),
  ]
  const rows = db.select(head).from(imports).$dynamic()
  return page(db, { rows, table: imports, id: imports.id, where: and(...conditions), name: imports.username }, query)
}

/** Failed ones count, too: they keep their archives until they are removed. */
const isOpenOf = (owner: string): SQL | undefined => and(eq(imports.owner_id, owner), ne(imports.status, 'active'))

/** Imports that are not active. */
export const countOpen = (db: Db, owner: string): number =>
  db.select({ total: count() }).from(imports).where(isOpenOf(owner)).get()!.total

/** What the uploaded archives of an owner's imports take. */
export const bytesOfImports = (db: Db, owner: string): number =>
  db
    .select({ total: sql<number>`coalesce(sum(${imports.size_bytes}), 0)` })
    .from(imports)
    .where(and(isOpenOf(owner), isNotNull(imports.upload_id)))
    .get()!.total

/** Imports that run, and the oldest of those that wait for one to end. */
export const running = (db: Db): number =>
  db.select({ total: count() }).from(imports).where(eq(imports.status, 'running')).get()!.total
export const oldestQueued = (db: Db): ImportRow | undefined =>
  db.select().from(imports).where(eq(imports.status, 'queued')).orderBy(asc(imports.id)).get()

export const newestOf = (db: Db, account: string): ImportRow | undefined =>
  db.select().from(imports).where(eq(imports.account_id, account)).orderBy(desc(imports.id)).get()

export const sourceOf = ({ unseal }: Pick<Runtime, 'unseal'>, { source }: ImportRow): ImportSource | undefined =>
  source === null ? undefined : (JSON.parse(unseal(purpose, source)) as ImportSource)

/** Row to resource (contract: Import). */
export const toImport = (row: ImportHead): z.input<typeof Import> => ({
  id: row.id,
  owner_id: row.owner_id,
  node: row.node,
  source: {
    kind: row.upload_id === null ? 'path' : 'upload',
    ...(row.upload_id === null && { file: row.path }),
    size_bytes: row.size_bytes,
    ...present({ format: row.format, panel_version: row.panel_version }),
  },
  status: row.status,
  username: row.username,
  main_domain: row.main_domain,
  options: row.options,
  steps: stepsOf(row),
  counts: row.counts,
  created_at: row.created_at,
  ...present({
    account_id: row.account_id,
    finished_at: row.finished_at,
    last_sync_at: row.last_sync_at,
    activated_at: row.activated_at,
    error: row.error,
  }),
})

const pending: StepState = { status: 'pending', done: 0, total: 1, unit: 'steps' }

const stepsOf = ({ steps }: ImportHead): z.input<typeof Import>['steps'] =>
  importSteps.map((step) => ({ step, ...(steps[step] ?? pending) }))

/** Sets how far a step is, beside what is known of it. */
export function setStep(
  ctx: Writes & Pick<Context, 'db'>,
  id: string,
  step: ImportStep,
  state: Partial<StepState>,
): void {
  const row = importById(ctx.db, id)
  if (!row) return
  const { error: _, ...before } = row.steps[step] ?? pending
  setImport(ctx, id, { steps: { ...row.steps, [step]: { ...before, ...state } } })
}
