import type { recordKinds } from '../../../contract/email/dns.ts'
import type { Context } from '../../../runtime/operations/context.ts'

export type RecordContext = Pick<Context, 'db' | 'runtime'>

/** A record that mail needs; without a text, any will do. */
export interface DesiredRecord {
  readonly kind: (typeof recordKinds)[number]
  readonly name: string
  readonly wanted?: string
  /** That the name stands for. */
  readonly address?: string
}
