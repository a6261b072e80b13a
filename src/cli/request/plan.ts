import type { Operation } from '../table.ts'
import type { Request, RequestQuery } from './client.ts'
import { randomKey } from './key.ts'

/** An operation's input. */
export interface RequestInput {
  readonly params: Record<string, string>
  readonly query: Record<string, RequestQuery[string]>
  readonly body: Record<string, unknown> | undefined
  /** The local file to send, or to write to. */
  file?: string
}

/** A path with its parameters filled in. */
export const filledPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (match, name: string) => (params[name] ? encodeURIComponent(params[name]) : match))

/** The request for an operation's input; with a random idempotency key by default. */
export function requestOf(operation: Operation, { params, query, body }: RequestInput, key?: string): Request {
  return {
    method: operation.method,
    path: filledPath(operation.path, params),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body && (operation.method !== 'POST' || Object.keys(body).length > 0) && { body }),
    ...(operation.keyed && { headers: { 'idempotency-key': key ?? randomKey() } }),
  }
}

/** What `--dry-run` shows, without a random key. */
export const planOf = ({ method, path, query, body }: Request): object => ({
  method,
  path: `/api/v1${path}`,
  ...(query && { query }),
  ...(body !== undefined && { body }),
})

/** Sets a value at a dotted path. */
export function setAt(body: Record<string, unknown>, name: string, value: unknown): void {
  const keys = name.split('.')
  const last = keys.pop() ?? name
  let holder = body
  for (const key of keys) {
    const known = holder[key]
    holder[key] = typeof known === 'object' ? { ...known } : {}
    holder = holder[key] as Record<string, unknown>
  }
  holder[last] = value
}
