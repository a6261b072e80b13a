import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { locales } from '../../contract/accounts.ts'
import type { LetterKind } from '../../contract/email-templates.ts'

export type Locale = (typeof locales)[number]

/** Texts of root and of resellers. */
export const emailTemplates = sqliteTable(
  'email_templates',
  {
    owner_id: text('owner_id').notNull(),
    kind: text('kind').$type<LetterKind>().notNull(),
    locale: text('locale').$type<Locale>().notNull(),
    subject: text('subject').notNull(),
    body: text('body').notNull(),
    updated_at: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner_id, table.kind, table.locale] })],
)
export type TemplateRow = typeof emailTemplates.$inferSelect

/** What was sent to whom, by its cause: nothing is sent twice. `sent_at` is null while it waits for the host. */
export const customerEmails = sqliteTable(
  'customer_emails',
  {
    account_id: text('account_id').notNull(),
    cause: text('cause').notNull(),
    created_at: integer('created_at').notNull(),
    sent_at: integer('sent_at'),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.cause] })],
)

export const notificationPreferences = sqliteTable('notification_preferences', {
  account_id: text('account_id').primaryKey(),
  off: text('off', { mode: 'json' }).$type<LetterKind[]>().notNull(),
})
