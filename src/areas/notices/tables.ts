import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { NoticeKind } from '../../contract/notices.ts'

/** Hides notices that began no later than `since`. */
export const dismissals = sqliteTable(
  'dismissed_notices',
  {
    kind: text('kind').$type<NoticeKind>().notNull(),
    object_id: text('object_id').notNull(),
    since: integer('since').notNull(),
    account_id: text('account_id'),
  },
  (table) => [primaryKey({ columns: [table.kind, table.object_id] })],
)
