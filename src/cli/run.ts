import { filledPath, type Input, inputOf } from './input/collect.ts'
import { clientOf, type Invocation, operationFor, textOption } from './invocation.ts'
import { checkColumns } from './output/columns.ts'
import { printDocument } from './output/print.ts'
import type { Request } from './request/client.ts'
import { randomKey } from './request/key.ts'
import { runList } from './request/list.ts'
import type { Operation } from './table.ts'

/** Runs the operation of a command. */
export async function runOperation(invocation: Invocation): Promise<void> {
  const operation = operationFor(invocation)
  checkColumns(invocation, operation)
  const client = clientOf(invocation)
  const input = await inputOf(invocation, operation, client)
  const request = requestOf(invocation, operation, input)
  if (invocation.option('dry-run')) return printDocument(invocation, plan(request))
  if (operation.list) return runList(invocation, operation, client, request)
  const { carryOut } = await import('./carry-out.ts')
  await carryOut(invocation, operation, client, { input, request })
}

/** The request that sends the input of an operation. */
export function requestOf(invocation: Invocation, operation: Operation, input: Input): Request {
  const { query, body } = input
  return {
    method: operation.method,
    path: filledPath(operation.path, input.params),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body && (operation.method !== 'POST' || Object.keys(body).length > 0) && { body }),
    ...(operation.keyed && { headers: { 'idempotency-key': keyOf(invocation) } }),
  }
}

const keyOf = (invocation: Invocation): string => textOption(invocation, 'idempotency-key') ?? randomKey()

/** What `--dry-run` shows; a random key would say nothing. */
export function plan({ method, path, query, body }: Request): object {
  return { method, path: `/api/v1${path}`, ...(query && { query }), ...(body !== undefined && { body }) }
}
