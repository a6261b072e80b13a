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

/** The requests to a worker in its user's home, and their results. */
export interface WorkerVerbs {
  readonly act: { told: { verb: FileVerb; told: Told<FileVerb> }; result: unknown }
  readonly read: { told: ByteVerbs['read']['told']; result: null }
  readonly write: { told: ByteVerbs['write']['told']; result: FileEntry | null }
  readonly append: { told: ByteVerbs['append']['told']; result: ByteVerbs['append']['commit'] | null }
  readonly measure: { told: object; result: HomeSize }
  readonly reclaim: { told: object; result: number }
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

/** The first message to a worker that was spawned with the agent's own privileges; sent once. */
export interface Become {
  readonly type: 'become'
  readonly uid: number
}

/**
 * To a worker, one request at a time: the request, then what its verb needs. `go` makes it send its bytes, `take`
 * receive ours; `commit` puts them to use, `drop` discards them. `beat` asks for a sign of life.
 */
export type ToWorker =
  | { readonly type: 'ask'; readonly verb: WorkerVerb; readonly username: string; readonly told: object }
  | Become
  | { readonly type: 'go' | 'take' | 'commit' | 'drop' | 'cancel' | 'beat' }

/** From a worker. `done` and `failed` end the request. */
export type FromWorker =
  | { readonly type: 'opened'; readonly answer: object | null }
  | { readonly type: 'received'; readonly size: number }
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'beat'; readonly cpuMs: number }
  | { readonly type: 'done'; readonly result: unknown }
  | Failure

export interface Failure {
  readonly type: 'failed'
  readonly message: string
  readonly stage?: HostError['stage'] | undefined
  /** The system's error code. */
  readonly code?: string | undefined
  readonly fault?: FaultTold
}
