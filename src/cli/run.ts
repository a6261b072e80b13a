import { inputOf } from './input/collect.ts'
import { clientOf, type Invocation, operationFor, textOption } from './invocation.ts'
import { printDocument } from './output/document.ts'
import { printList } from './output/list.ts'
import { viewOf } from './output/view.ts'
import { pagesOf } from './request/list.ts'
import { planOf, requestOf } from './request/plan.ts'

/** Runs the operation of a command: what was typed becomes a request, its answer is shown. */
export async function runOperation(invocation: Invocation): Promise<void> {
  const operation = operationFor(invocation)
  const view = viewOf(invocation, operation)
  const client = clientOf(invocation)
  const input = await inputOf(invocation, operation, client)
  const request = requestOf(operation, input, textOption(invocation, 'idempotency-key'))
  if (invocation.option('dry-run')) return printDocument(view, planOf(request))
  if (operation.list) return printList(view, pagesOf(operation, client, request, view.limit.read))
  const { carryOut } = await import('./carry-out.ts')
  await carryOut({ invocation, operation, view, client, input, request })
}
