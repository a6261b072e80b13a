import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { FirewallService, Protocol } from '../../shared/firewall.ts'

export const firewallRules = sqliteTable('firewall_rules', {
  id: text('id').primaryKey(),
  action: text('action').$type<'allow' | 'deny'>().notNull(),
  port: integer('port'),
  service: text('service').$type<FirewallService>(),
  proto: text('proto').$type<Protocol>().notNull(),
  network: text('network'),
  comment: text('comment'),
  created_at: integer('created_at').notNull(),
  /** What is on trial: at most one rule has a change. */
  change: text('change').$type<'adding' | 'deleting'>(),
  change_id: text('change_id'),
  revert_at: integer('revert_at'),
  /** Whether the host has the change: one that it no longer has was undone. */
  applied: integer('applied', { mode: 'boolean' }).notNull().default(false),
})
export type FirewallRow = typeof firewallRules.$inferSelect
