import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Mail of the panel itself: what waits, and for a day what was sent. */
export const mailMessages = sqliteTable('mail_messages', {
  id: text('id').primaryKey(),
  /** In lower case. */
  recipient: text('recipient').notNull(),
  /** Whose limits it counts towards. */
  share: text('share').notNull(),
  /** Encrypted; null once it was sent. */
  content: text('content'),
  attempts: integer('attempts').notNull().default(0),
  created_at: integer('created_at').notNull(),
  /** When it is too late to send it. */
  expires_at: integer('expires_at').notNull(),
  /** When to try; null once it was sent. */
  next_at: integer('next_at'),
  sent_at: integer('sent_at'),
})
export type MailRow = typeof mailMessages.$inferSelect
