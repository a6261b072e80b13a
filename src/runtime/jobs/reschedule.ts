import type { Runtime } from '../runtime.ts'
import type { JobRow } from '../tables.ts'

const DEFAULT_ATTEMPTS = 3

export const attemptsOf = ({ kinds }: Pick<Runtime, 'kinds'>, kind: string): number =>
  kinds.get(kind)?.maxAttempts ?? DEFAULT_ATTEMPTS

/** A waiting job that absorbs a new one becomes due now and gets a new job's attempts. */
export function rescheduled(
  runtime: Pick<Runtime, 'kinds' | 'clock'>,
  { kind, run_at, attempts, max_attempts }: Pick<JobRow, 'kind' | 'run_at' | 'attempts' | 'max_attempts'>,
): Pick<JobRow, 'run_at' | 'max_attempts'> {
  return {
    run_at: Math.min(run_at, runtime.clock.now()),
    max_attempts: Math.max(max_attempts, attempts + attemptsOf(runtime, kind)),
  }
}

/** How many attempts failed since the job last absorbed another. */
export const failuresOf = (
  runtime: Pick<Runtime, 'kinds'>,
  { kind, attempts, max_attempts }: Pick<JobRow, 'kind' | 'attempts' | 'max_attempts'>,
): number => Math.max(1, attempts - (max_attempts - attemptsOf(runtime, kind)))
