import { Problem } from '../../contract/problem.ts'
import { HostError, type TaskAnswer, type WordpressTask } from '../../host/contract/driver.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { fullAccount } from '../accounts/store.ts'
import { hostOf } from '../host/host.ts'
import { askSite, type SiteTask } from './ask.ts'
import { refuseToRun } from './busy.ts'
import type { WordpressRow } from './tables.ts'

/** Before the panel gives up, so that the answer says why. */
const TIMEOUT_S = 25

export type OfSite = Context & {
  readonly found: { readonly account: { readonly id: string }; readonly wordpress: WordpressRow }
}

/** Has a site carry out a task while a caller waits. What its own code fails with is for its owner to read. */
export async function askNow<Task extends WordpressTask>(
  ctx: OfSite,
  request: Omit<SiteTask<Task>, 'timeoutS'>,
): Promise<TaskAnswer<Task>> {
  refuseToRun(fullAccount(ctx), ctx.found.wordpress)
  const task = { ...request, timeoutS: TIMEOUT_S }
  try {
    return await askSite(ctx.runtime, hostOf(ctx.runtime), ctx.found.wordpress, task)
  } catch (error) {
    if (error instanceof HostError) throw new Problem('overloaded', error.message)
    throw error
  }
}
