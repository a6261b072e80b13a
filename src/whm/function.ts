import type { Privilege } from '../contract/common.ts'
import type { OperationId } from '../contract/index.ts'
import { Failure } from './failure.ts'
import type { Parameters } from './parameters.ts'
import type { Session } from './server.ts'
import type { Called, Result } from './shapes.ts'

/** One request to one function. */
export interface Call {
  readonly parameters: Parameters
  readonly session: Session
}

/** A WHM function: the operations it needs, and its implementation. */
export interface WhmFunction extends Omit<Called, 'version'> {
  /** Operations that its caller must be allowed; `applist` and refusals depend on them. */
  readonly needs: readonly OperationId[]
  /** A privilege that it needs beside those of its operations. */
  readonly privilege?: Privilege
  run(call: Call): Promise<Result>
}

/** A required parameter's text. */
export function required({ parameters }: Call, name: string): string {
  const text = parameters.filled(name)
  if (text === undefined) throw new Failure(`The parameter “${name}” is required.`)
  return text
}

/** Waits for a change's job. A job still running counts as success: the change is accepted. */
export async function carriedOut({ session }: Call, jobId: string): Promise<Pick<Result, 'raw'>> {
  const job = await session.job(jobId)
  if (job.status === 'failed' || job.status === 'cancelled')
    throw new Failure(job.error ?? `The job ${jobId} was cancelled.`)
  return job.status === 'succeeded' ? {} : { raw: `Job ${jobId} is still running.` }
}
