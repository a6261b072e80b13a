import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { NoticeKind } from '../../contract/notices.ts'

/** A notice that began no later than `since` is not shown. */
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
