import type { Operation } from '../table.ts'
import type { Query, Request } from './client.ts'
import { randomKey } from './key.ts'

/** What an operation is called with. */
export interface Input {
  readonly params: Record<string, string>
  readonly query: Record<string, Query[string]>
  readonly body: Record<string, unknown> | undefined
  /** The file of this machine whose bytes are sent, or which they are written to. */
  file?: string
}

/** A path with its parameters filled in. */
export const filledPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (whole, name: string) => (params[name] ? encodeURIComponent(params[name]) : whole))

/** The request that sends the input of an operation; without a key of its own, a random one. */
export function requestOf(operation: Operation, { params, query, body }: Input, key?: string): Request {
  return {
    method: operation.method,
    path: filledPath(operation.path, params),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body && (operation.method !== 'POST' || Object.keys(body).length > 0) && { body }),
    ...(operation.keyed && { headers: { 'idempotency-key': key ?? randomKey() } }),
  }
}

/** What `--dry-run` shows; a random key would say nothing. */
export const planOf = ({ method, path, query, body }: Request): object => ({
  method,
  path: `/api/v1${path}`,
  ...(query && { query }),
  ...(body !== undefined && { body }),
})
