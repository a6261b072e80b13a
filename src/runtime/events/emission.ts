import type { Details, EventType } from '../../contract/events.ts'

/** An account as events and jobs name it, also after its removal. */
export interface AccountName {
  readonly id: string
  readonly username: string
  readonly domain: string
  readonly owner_id: string
}

/** An event to record. `extra` goes beside the common fields of `data` (contract: job.completed). */
export type Emission = {
  [T in EventType]: {
    readonly type: T
    readonly account?: AccountName | undefined
    readonly object_id: string
    readonly details: Details<T>
    readonly extra?: Record<string, string>
  }
}[EventType]

export interface EventRow {
  readonly seq: number
  readonly id: string
  readonly type: EventType
  readonly account_id: string | null
  readonly for_account: boolean
  readonly object_id: string
}
