import { eq } from 'drizzle-orm'
import type { Writes } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { insertInto, update } from '../../store/rows.ts'
import { type RestoreRow, restores } from './tables.ts'

const insert = insertInto(restores)
const write = update(restores, 'id = ?')

export const addRestore = ({ store }: Writes, row: RestoreRow): void => void insert(store.sqlite, row)
export const setRestore = ({ store }: Writes, id: string, values: Partial<RestoreRow>): void =>
  void write(store.sqlite, values, id)
export const removeRestore = (db: Db, id: string): void => void db.delete(restores).where(eq(restores.id, id)).run()
export const restoreById = (db: Db, id: string): RestoreRow | undefined =>
  db.select().from(restores).where(eq(restores.id, id)).get()
