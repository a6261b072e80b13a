import type { Declaration } from '../contract/operation.ts'
import type { Db, Store } from '../store/open.ts'
import type { Actor } from './actor.ts'
import type { AccountName, Emission } from './emission.ts'
import type { Runtime } from './runtime.ts'

export type { AccountName }

/** What a request says of who sends it. */
export interface Caller {
  /** It came over the local socket. */
  readonly local: boolean
  /** Where it came from; nowhere for the local socket. */
  readonly address: string | undefined
  header(name: string): string | undefined
  cookie(name: string): string | undefined
}

/** A job to queue. It carries names, never data: it renders what the store says when it runs. */
export interface NewJob {
  readonly kind: string
  /** Whose host it works on; the account's where none is named. */
  readonly node?: string | undefined
  readonly account?: AccountName
  readonly object_id?: string
  readonly payload?: Record<string, string>
  /** Jobs of one lane run in order; the account's where none is named. */
  readonly lane?: string
  /** Host areas to apply; all of them where none are named. */
  readonly areas?: readonly string[]
}

/** What the audit trail says of a change, besides who made it. Secrets stay out. */
export interface AuditNote {
  readonly account?: { readonly id: string; readonly owner_id: string; readonly username?: string | undefined }
  /** The actor of a request that began without one: a sign-in. */
  readonly actor?: Actor
  readonly object_id?: string
  readonly before?: Record<string, unknown>
  readonly after?: Record<string, unknown>
}

/** What a handler or a job's last step works with. Inside a change, all it writes commits together. */
export interface Context {
  readonly runtime: Runtime
  readonly store: Store
  readonly db: Db
  readonly actor: Actor
  readonly op: Declaration | undefined
  /** Of a request; a job has none. */
  readonly caller: Caller | undefined
  /** The fields of a list's items that are read, besides their ids; nothing where all are, none where no item is. */
  readonly fields?: readonly string[] | undefined
  readonly requestId: string
  readonly now: number
  /** A new ULID. */
  id(): string
  /** Answers the id of the event. */
  emit(event: Emission): string
  /** Answers the id of the queued job. */
  enqueue(job: NewJob): string
  /** Adds to the audit row of this change. */
  note(note: AuditNote): void
  /** Headers of the answer. */
  header(name: string, value: string): void
  /** Runs after the commit; never when the change is undone. */
  afterCommit(act: () => void): void
}

/** Whether a field of a list's items is read: one that is not need not be found out. */
export const isRead = ({ fields }: Pick<Context, 'fields'>, field: string): boolean =>
  fields === undefined || fields.includes(field)
