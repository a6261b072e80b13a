import { clientOf, type Invocation } from '../invocation.ts'
import { printObject } from '../output/print.ts'
import { viewOf } from '../output/view.ts'
import { finish } from '../run/follow-job.ts'
import { operationOf } from '../table.ts'
import { jobArgument } from './argument.ts'

/** Waits for a job and prints its final state. */
export async function run(invocation: Invocation): Promise<void> {
  const client = clientOf(invocation)
  const job = await finish(invocation, client, { job: await jobArgument(invocation, client) })
  await printObject(viewOf(invocation, operationOf('getJob')), { job })
}
