import type { BuiltRelease } from '../../apps/app-runner.ts'
import type { Heard, Question } from '../../apps/health.ts'
import type { ReleaseAct } from '../../apps/releases.ts'
import type { DumpRequest, Packed, Staging, Swap, UsedSpace } from '../../backup/home.ts'
import type { ReadPart } from '../../contract/backups.ts'
import type { DeployRequest } from '../../contract/commands/apps.ts'
import type { ByteVerbs, FileEntry, FileErrorDetail, FileInput, FileVerb } from '../../contract/driver.ts'
import type { HostError } from '../../contract/error.ts'
import type { DumpReport } from '../../dumps/report.ts'
import type { HomeSize } from '../../homes/access.ts'
import type { HomeWork } from '../home.ts'

/** The requests to a worker in its user's home, and their results. */
export interface WorkerVerbs {
  readonly act: { input: { verb: FileVerb; input: FileInput<FileVerb> }; result: unknown }
  readonly read: { input: ByteVerbs['read']['input']; result: null }
  readonly write: { input: ByteVerbs['write']['input']; result: FileEntry | null }
  readonly append: { input: ByteVerbs['append']['input']; result: ByteVerbs['append']['commit'] | null }
  readonly measure: { input: object; result: HomeSize }
  readonly reclaim: { input: object; result: number }
  readonly pack: { input: { part: ReadPart }; result: Packed | null }
  readonly dump: { input: DumpRequest; result: DumpReport }
  readonly replaced: { input: Staging; result: UsedSpace }
  readonly stage: { input: Staging; result: Swap }
  readonly swap: { input: { name: string; swap: Swap }; result: null }
  readonly clear: { input: { name: string }; result: null }
  readonly fill: { input: HomeWork; result: null }
  readonly releases: { input: { app: string; act: ReleaseAct }; result: null }
  readonly ask: { input: Question; result: Heard }
  readonly make: { input: DeployRequest; result: BuiltRelease }
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
  | { readonly type: 'ask'; readonly verb: WorkerVerb; readonly username: string; readonly input: object }
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
  readonly fileError?: FileErrorDetail
}
