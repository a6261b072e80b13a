import type { Made } from '../../apps/ground.ts'
import type { Heard, Question } from '../../apps/health.ts'
import type { ReleaseAct } from '../../apps/releases.ts'
import type { DeployOrder } from '../../apps.ts'
import type { Packed, Staging, Swap } from '../../backup/home.ts'
import type { ReadPart } from '../../backups.ts'
import type { ByteVerbs, FaultTold, FileEntry, FileVerb, Told } from '../../driver.ts'
import type { HostError } from '../../error.ts'
import type { HomeSize } from '../../homes/access.ts'
import type { HomeWork } from '../home.ts'

/** What a worker is asked for in the home of its user, and what it says in the end. */
export interface WorkerVerbs {
  readonly act: { told: { verb: FileVerb; told: Told<FileVerb> }; result: unknown }
  readonly read: { told: ByteVerbs['read']['told']; result: null }
  readonly write: { told: ByteVerbs['write']['told']; result: FileEntry | null }
  readonly append: { told: ByteVerbs['append']['told']; result: ByteVerbs['append']['commit'] | null }
  readonly measure: { told: object; result: HomeSize }
  readonly pack: { told: { part: ReadPart }; result: Packed | null }
  readonly stage: { told: Staging; result: Swap }
  readonly swap: { told: { name: string; swap: Swap }; result: null }
  readonly clear: { told: { name: string }; result: null }
  readonly fill: { told: HomeWork; result: null }
  readonly releases: { told: { app: string; act: ReleaseAct }; result: null }
  readonly ask: { told: Question; result: Heard }
  readonly make: { told: DeployOrder; result: Made }
}
export type WorkerVerb = keyof WorkerVerbs

/** What a worker that was started with the agent's own rights is told first, and once. */
export interface Become {
  readonly type: 'become'
  readonly uid: number
}

/**
 * To a worker, one request at a time: the request, then what its verb awaits. `go` has it send its bytes, `take` has it
 * receive ours; `commit` makes of them what they are meant for, `drop` leaves nothing of them.
 */
export type ToWorker =
  | { readonly type: 'ask'; readonly verb: WorkerVerb; readonly username: string; readonly told: object }
  | Become
  | { readonly type: 'go' | 'take' | 'commit' | 'drop' | 'cancel' }

/** From it. `done` and `failed` are the end of the request. */
export type FromWorker =
  | { readonly type: 'opened'; readonly answer: object | null }
  | { readonly type: 'received'; readonly size: number }
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'done'; readonly result: unknown }
  | Failure

export interface Failure {
  readonly type: 'failed'
  readonly message: string
  readonly stage?: HostError['stage'] | undefined
  /** What the system called it. */
  readonly code?: string | undefined
  readonly fault?: FaultTold
}
