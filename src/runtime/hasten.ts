import type { Runtime } from './runtime.ts'
import type { JobRow } from './tables.ts'

const usual = 3

/** How many attempts a new job of a kind has. */
export const attemptsOf = ({ kinds }: Pick<Runtime, 'kinds'>, kind: string): number =>
  kinds.get(kind)?.maxAttempts ?? usual

/** Of a waiting job that takes over the work of a new one: it is due now, and has as many attempts left as that would have. */
export function hastened(
  runtime: Pick<Runtime, 'kinds' | 'clock'>,
  { kind, run_at, attempts, max_attempts }: Pick<JobRow, 'kind' | 'run_at' | 'attempts' | 'max_attempts'>,
): Pick<JobRow, 'run_at' | 'max_attempts'> {
  return {
    run_at: Math.min(run_at, runtime.clock.now()),
    max_attempts: Math.max(max_attempts, attempts + attemptsOf(runtime, kind)),
  }
}

/** How many attempts failed since it last took over the work of another. */
export const failuresOf = (
  runtime: Pick<Runtime, 'kinds'>,
  { kind, attempts, max_attempts }: Pick<JobRow, 'kind' | 'attempts' | 'max_attempts'>,
): number => Math.max(1, attempts - (max_attempts - attemptsOf(runtime, kind)))
