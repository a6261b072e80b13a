import { Problem } from '../../contract/problem.ts'
import { FileFault, type Told } from '../../host/driver.ts'
import { filesOf, type OfAccount } from './of-account.ts'
import { asProblem } from './problem.ts'

const longest = 30_000

/** The refusal that a job would meet now. If the host cannot tell, the request is accepted and the job waits. */
export async function foreseen(ctx: OfAccount, told: Told<'foresee'>): Promise<Problem | undefined> {
  try {
    await filesOf(ctx).act('foresee', told, { signal: AbortSignal.timeout(longest) })
    return undefined
  } catch (error) {
    if (!(error instanceof FileFault) || error.fault === 'overloaded') return undefined
    const problem = asProblem(error)
    return problem instanceof Problem ? problem : undefined
  }
}
