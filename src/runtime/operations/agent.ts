import { and, eq, gt, inArray, isNull } from 'drizzle-orm'
import { events as declared } from '../../contract/events.ts'
import { Problem } from '../../contract/problem.ts'
import type { Emission } from '../events/emission.ts'
import type { Runtime } from '../runtime.ts'
import { audit } from '../tables.ts'
import type { Actor } from './actor.ts'
import type { AuditNote } from './context.ts'
import { present } from './list.ts'

/** What an AI agent adds to a call. */
export interface AgentUse {
  /** The name that its client claims. */
  readonly client?: string
  readonly reason?: string
  /** Answers with the effects that the change would have, and changes nothing. */
  readonly dryRun?: boolean
  /** The audit row that the change would undo: 409 `changed` if these operations changed its object later. */
  readonly undoes?: { readonly change: string; readonly operations: readonly string[] }
}

interface Noted {
  readonly account?: { readonly id: string; readonly username?: string | undefined }
  readonly object_id?: string | undefined
  readonly before?: Record<string, unknown> | undefined
  readonly after?: Record<string, unknown> | undefined
}

/** A change as the audit trail has it. */
export interface AuditedChange extends Noted {
  readonly id: string
  readonly operation: string
}

/** What a change would do. */
export interface Effects extends Noted {
  readonly events: {
    readonly type: string
    readonly object: string
    readonly object_id: string
    account?: string | undefined
  }[]
  readonly jobs: { readonly kind: string; account?: string | undefined }[]
}

export const noteOf = ({ account, object_id, before, after }: AuditNote): Noted => ({
  ...(account && { account: { id: account.id, ...present({ username: account.username }) } }),
  ...present({ object_id, before, after }),
})

export const effectOf = ({ type, object_id, account }: Emission): Effects['events'][number] => ({
  type,
  object: declared[type].object,
  object_id,
  ...present({ account: account?.username }),
})

interface Authenticated {
  readonly actor: Actor | undefined
  again(): Actor | undefined
}

/** The call, whose audit row and events name the agent. */
export function withAgent<C extends Authenticated>(call: C, { client, reason }: AgentUse): C {
  const named = (actor: Actor | undefined): Actor | undefined =>
    actor && { ...actor, via: 'mcp', ...present({ client, reason }) }
  return { ...call, actor: named(call.actor), again: () => named(call.again()) }
}

interface DryRunAnswer {
  readonly status: 200
  readonly json: string
  readonly headers: Record<string, string>
}

/** Does the work in a change that is rolled back, and answers with its effects. */
export async function dryRun({ store }: Runtime, work: () => Effects): Promise<DryRunAnswer> {
  const effects = await store.change(() => store.dryRun(work))
  return { status: 200, json: JSON.stringify(effects), headers: {} }
}

/** 409 `changed` if what would be undone was changed again. Inside the change. */
export function refuseChangedSince({ store }: Runtime, agent: AgentUse | undefined): void {
  if (!agent?.undoes) return
  const { change, operations } = agent.undoes
  const row = store.db.select().from(audit).where(eq(audit.id, change)).get()
  if (!row) throw new Problem('not-found', 'No such change.')
  const same = <C extends typeof audit.account_id>(column: C, value: string | null) =>
    value === null ? isNull(column) : eq(column, value)
  const later = store.db
    .select({ id: audit.id })
    .from(audit)
    .where(
      and(
        gt(audit.id, change),
        inArray(audit.operation, [...operations]),
        same(audit.account_id, row.account_id),
        row.object_id === null ? undefined : eq(audit.object_id, row.object_id),
      ),
    )
    .limit(1)
    .get()
  if (later) throw new Problem('changed', 'It was changed again after that; undo the later change first.')
}
