import { and, eq, getTableColumns, gte, lt, or, type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type * as declared from '../../contract/audit.ts'
import { type Actor, isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { audit } from '../../runtime/tables.ts'
import { type Paging, page } from '../../store/page.ts'

type AuditRecord = z.infer<typeof declared.AuditEntry>

interface AuditFilter extends Paging {
  operation?: string
  actor_id?: string
  actor?: string
  account_id?: string
  username?: string
  since?: number
  until?: number
}

const listAudit: Handler<typeof declared.listAudit> = { handle: (ctx, { query }) => list(ctx, query) }

const listAuditForAccount: Handler<typeof declared.listAuditForAccount> = {
  handle: (ctx, { query }) => list(ctx, { ...query, account_id: ctx.found.account.id }),
}

function list(ctx: Context, query: AuditFilter) {
  const rows = ctx.db.select(selection).from(audit).$dynamic()
  const { items, total } = page(ctx.db, { rows, table: audit, id: audit.id, where: conditions(query) }, query)
  return { items: items.map((row) => toEntry(ctx.actor, row)), total }
}

/** Changes from before the trail kept the name have that which the account has now. */
const username = sql<
  string | null
>`coalesce(audit.username, (SELECT username FROM accounts WHERE accounts.id = audit.account_id))`

const selection = { ...getTableColumns(audit), username }

const conditions = (query: AuditFilter): SQL | undefined =>
  and(
    query.operation === undefined ? undefined : eq(audit.operation, query.operation),
    query.actor_id === undefined ? undefined : eq(audit.actor_id, query.actor_id),
    query.actor === undefined
      ? undefined
      : or(eq(audit.actor_name, query.actor), eq(audit.acting_as_name, query.actor)),
    query.username === undefined ? undefined : eq(username, query.username),
    query.account_id === undefined ? undefined : eq(audit.account_id, query.account_id),
    query.since === undefined ? undefined : gte(audit.at, query.since),
    query.until === undefined ? undefined : lt(audit.at, query.until),
  )

type AuditRow = typeof audit.$inferSelect

/** Where administrators work from, and with which token, is not for those below them. */
function showsOrigin(reader: Actor, { acting_as_id, actor_id, actor_type }: AuditRow): boolean {
  if (isRoot(reader) || (acting_as_id ?? actor_id) === reader.id) return true
  return reader.type === 'reseller' && actor_type === 'account' && acting_as_id === null
}

const originOf = ({ token_id, token_name, address }: AuditRow): Pick<AuditRecord, 'token' | 'address'> => ({
  ...(token_id && token_name ? { token: { id: token_id, name: token_name } } : {}),
  ...present({ address }),
})

function toEntry(reader: Actor, row: AuditRow): AuditRecord {
  return {
    id: row.id,
    at: row.at,
    operation: row.operation,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    ...(row.acting_as_id && row.acting_as_name
      ? { acting_as: { id: row.acting_as_id, name: row.acting_as_name } }
      : {}),
    via: row.via,
    ...present({ reason: row.reason, client: row.client }),
    ...(showsOrigin(reader, row) ? originOf(row) : {}),
    request_id: row.request_id,
    ...present({ account_id: row.account_id, username: row.username, object_id: row.object_id }),
    ...(present({ before: row.before, after: row.after }) as Pick<AuditRecord, 'before' | 'after'>),
  }
}

export const auditOperations = { listAudit, listAuditForAccount }
