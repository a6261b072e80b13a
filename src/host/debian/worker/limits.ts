import { isLong } from '../../homes/home/index.ts'
import type { WorkerVerb, WorkerVerbs } from './verbs.ts'

/** The limits of one request; time counts only while root waits for the process. */
export interface RequestLimits {
  readonly timeoutMs: number
  /** Ends it once it neither computes nor moves bytes for this long. */
  readonly stallMs?: number
}

const REQUEST_TIMEOUT_MS = 60_000
const MEASURE_TIMEOUT_MS = 120_000
/** Work on any number of files. */
const BULK_TIMEOUT_MS = 6 * 3_600_000
/** A slow disk still completes some calls in this time. */
const STALL_TIMEOUT_MS = 300_000
/** For a build, after its own time limit. */
export const BUILD_GRACE_MS = 120_000

const quick: RequestLimits = { timeoutMs: REQUEST_TIMEOUT_MS }
const bulk: RequestLimits = { timeoutMs: BULK_TIMEOUT_MS, stallMs: STALL_TIMEOUT_MS }

const limits: { readonly [Verb in WorkerVerb]: (input: WorkerVerbs[Verb]['input']) => RequestLimits } = {
  act: ({ verb }) => (isLong(verb) ? bulk : quick),
  read: () => bulk,
  write: () => bulk,
  append: () => bulk,
  reclaim: () => bulk,
  measure: () => ({ timeoutMs: MEASURE_TIMEOUT_MS }),
  pack: () => bulk,
  dump: () => bulk,
  replaced: () => ({ timeoutMs: MEASURE_TIMEOUT_MS }),
  stage: () => bulk,
  swap: () => bulk,
  clear: () => bulk,
  fill: () => quick,
  releases: () => bulk,
  ask: () => quick,
  // Its commands compute in processes of their own.
  make: ({ buildTimeoutS }) => ({ timeoutMs: buildTimeoutS * 1000 + BUILD_GRACE_MS }),
}

export const limitsOf = <Verb extends WorkerVerb>(verb: Verb, input: WorkerVerbs[Verb]['input']): RequestLimits =>
  limits[verb](input)
