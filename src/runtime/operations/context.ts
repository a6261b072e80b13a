import type { Declaration } from '../../contract/operation.ts'
import type { Db, Store } from '../../store/open.ts'
import type { AccountName, Emission } from '../events/emission.ts'
import type { Runtime } from '../runtime.ts'
import type { Actor } from './actor.ts'

export type { AccountName }

/** What a request tells about its sender. */
export interface Caller {
  readonly local: boolean
  /** The remote address; undefined on the local socket. */
  readonly address: string | undefined
  /** When its connection was opened, if that is known. */
  readonly connectedAt?: number | undefined
  /** Whether the client sees a certificate that only itself vouches for. */
  readonly selfSigned: boolean
  header(name: string): string | undefined
  cookie(name: string): string | undefined
  /** Whether another site may have set that cookie in the caller's browser. */
  mayBeForeign(name: string): boolean
}

/** A job to enqueue. It carries names, never data: it applies the store's state at the time it runs. */
export interface NewJob {
  readonly kind: string
  /** The node it works on; the account's by default. */
  readonly node?: string | undefined
  readonly account?: AccountName
  readonly object_id?: string
  readonly payload?: Record<string, string>
  /** Jobs of one lane run in order; by default the account's lane. */
  readonly lane?: string
  /** Host areas to apply; all by default. */
  readonly areas?: readonly string[]
}

/** What a change adds to its audit row besides the actor. Never secrets. */
export interface AuditNote {
  readonly account?: { readonly id: string; readonly owner_id: string; readonly username?: string | undefined }
  /** The actor of a request that began without one, such as a sign-in. */
  readonly actor?: Actor
  readonly object_id?: string
  readonly before?: Record<string, unknown>
  readonly after?: Record<string, unknown>
}

/** What handlers and a job's last step work with. Everything written inside a change commits together. */
export interface Context {
  readonly runtime: Runtime
  readonly store: Store
  readonly db: Db
  readonly actor: Actor
  readonly op: Declaration | undefined
  /** Undefined for jobs. */
  readonly caller: Caller | undefined
  /** The fields of list items that the caller reads, besides ids: undefined means all, an empty list none. */
  readonly fields?: readonly string[] | undefined
  readonly requestId: string
  /** Everything is rolled back: what a handler prepares must not take effect either. */
  readonly dryRun?: boolean | undefined
  readonly now: number
  /** A new ULID. */
  id(): string
  /** Returns the event's id. */
  emit(event: Emission): string
  /** Returns the job's id. */
  enqueue(job: NewJob): string
  /** Adds to the audit row of this change. */
  note(note: AuditNote): void
  /** Sets a response header. */
  header(name: string, value: string): void
  /** Runs after the commit, never if the change is rolled back. */
  afterCommit(act: () => void): void
}

/** Whether the caller reads a field of list items: others need not be computed. */
export const isRead = ({ fields }: Pick<Context, 'fields'>, field: string): boolean =>
  fields === undefined || fields.includes(field)

/** What a query needs. */
export type Reads = Pick<Context, 'db'>
/** What writes rows, inside a change. */
export type Writes = Pick<Context, 'store'>
