import { and, eq, sql } from 'drizzle-orm'
import type { Declaration, Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { day } from '../../shared/time.ts'
import { prepared } from '../../store/prepared.ts'
import { insertInto } from '../../store/rows.ts'
import type { Runtime } from '../runtime.ts'
import { idempotency } from '../tables.ts'
import type { Actor } from './actor.ts'

/** An idempotency key, scoped to one principal and operation. */
export interface IdempotencyKey {
  readonly principal_id: string
  readonly operation: string
  readonly key: string
  /** An HMAC of the request, which itself may hold a password. */
  readonly request: string
}

export interface StoredAnswer {
  readonly status: number
  readonly answer: string | null
}

/** The request's key, if it has one. 400 if the operation does not accept keys. */
export function keyOf(
  runtime: Runtime,
  op: Declaration,
  actor: Actor | undefined,
  header: string | undefined,
  { params, query, body }: Input<Declaration>,
): IdempotencyKey | undefined {
  if (header === undefined) return undefined
  if (op.secret || (op.secretAt && hasValueAt(body, op.secretAt.split('.'))))
    throw invalid('Idempotency-Key', 'is not accepted here, because the request or the answer holds a secret')
  if (!actor || op.method !== 'post') return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(header))
    throw invalid('Idempotency-Key', 'must be 1 to 255 printable characters without spaces')
  return {
    principal_id: actor.id,
    operation: op.id,
    key: header,
    request: runtime.fingerprint('request', JSON.stringify([params, query, body])),
  }
}

/** Whether there is a value at a path, in any item of the lists on the way. */
function hasValueAt(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return value != null
  if (Array.isArray(value)) return value.some((item) => hasValueAt(item, [name, ...rest]))
  return typeof value === 'object' && value !== null && hasValueAt(value[name as keyof typeof value], rest)
}

const queries = prepared((db) => ({
  find: db
    .select()
    .from(idempotency)
    .where(
      and(
        eq(idempotency.principal_id, sql.placeholder('principal_id')),
        eq(idempotency.operation, sql.placeholder('operation')),
        eq(idempotency.key, sql.placeholder('key')),
      ),
    )
    .prepare(),
}))

/** The response to this key in the last 24 hours. 422 `idempotency-mismatch` for another request. */
export function recall(runtime: Runtime, key: IdempotencyKey): StoredAnswer | undefined {
  const found = queries(runtime.store.db).find.get({ ...key })
  if (!found || found.created_at <= runtime.clock.now() - day) return undefined
  if (found.request === key.request) return found
  throw new Problem(
    'idempotency-mismatch',
    'This Idempotency-Key was used for another request in the last 24 hours. Use a new one.',
    {
      'Idempotency-Key': 'was used for another request',
    },
  )
}

const write = insertInto(
  idempotency,
  `ON CONFLICT (principal_id, operation, key) DO UPDATE SET
     request = excluded.request, status = excluded.status, answer = excluded.answer, created_at = excluded.created_at`,
)

/** Keeps the response for 24 hours, in the change that made it. */
export function keep(runtime: Runtime, key: IdempotencyKey, answer: StoredAnswer): void {
  write(runtime.store.sqlite, { ...key, ...answer, created_at: runtime.clock.now() })
}
