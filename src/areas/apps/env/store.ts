import { and, asc, eq } from 'drizzle-orm'
import type { Context } from '../../../runtime/operations/context.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { insertInto } from '../../../store/rows.ts'
import { purposes } from '../stored.ts'
import { appEnv, type EnvRow } from '../tables.ts'

const put = insertInto(
  appEnv,
  'ON CONFLICT (app_id, name) DO UPDATE SET value = excluded.value, sealed = excluded.sealed, updated_at = excluded.updated_at',
)

/** The environment of an app, by name. */
export const envOf = (db: Db, app: string): EnvRow[] =>
  db.select().from(appEnv).where(eq(appEnv.app_id, app)).orderBy(asc(appEnv.name)).all()

export interface Variable {
  readonly name: string
  readonly value: string
  readonly secret?: boolean
}

export function setVariable({ store, runtime, now }: Context, app_id: string, { name, value, secret }: Variable): void {
  const stored = secret ? { value: null, sealed: runtime.seal(purposes.env, value) } : { value, sealed: null }
  put(store.sqlite, { app_id, name, ...stored, updated_at: now })
}

/** Stores a variable, encrypted if it is secret. */
export const putVariable = ({ store }: Pick<Context, 'store'>, row: EnvRow): void => void put(store.sqlite, row)

export const removeVariable = ({ db }: Context, app: string, name: string): void =>
  void db
    .delete(appEnv)
    .where(and(eq(appEnv.app_id, app), eq(appEnv.name, name)))
    .run()

export const textOf = ({ unseal }: Pick<Runtime, 'unseal'>, { value, sealed }: EnvRow): string =>
  value ?? unseal(purposes.env, sealed!)

/** The environment's secret values. */
export const secretsOf = (runtime: Pick<Runtime, 'unseal'>, db: Db, app: string): string[] =>
  envOf(db, app).flatMap((row) => (row.sealed === null ? [] : [textOf(runtime, row)]))

/** Row to resource (contract: EnvVariable). */
export const toVariable = ({ name, value, updated_at }: EnvRow) => ({
  name,
  secret: value === null,
  ...present({ value }),
  updated_at,
})
