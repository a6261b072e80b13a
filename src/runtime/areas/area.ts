import type { StoreParts } from '../../store/parts.ts'
import type { EventRow } from '../events/emission.ts'
import type { JobKind } from '../jobs/job-kind.ts'
import type { Context, NewJob } from '../operations/context.ts'
import type { Finders } from '../operations/found.ts'
import type { Handlers } from '../operations/run.ts'
import type { Runtime } from '../runtime.ts'
import type { Settings } from '../settings/settings.ts'
import type { Engine } from './engine.ts'
import type { Services } from './ports.ts'

/** What areas need from outside the runtime and its store: declared by the areas, provided by the composition root. */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging fills it
export interface Outside {}

/**
 * An area of the API. An area that others extend adds a property for them by declaration merging, as accounts adds
 * `ofAccount`.
 */
export interface Area {
  readonly name: string
  readonly handlers: Partial<Handlers>
  readonly finders?: Finders
  /** The settings that `/settings` shows and changes, with their defaults, which may follow from the host. */
  readonly settings?: {
    readonly [Name in keyof Settings]?: Settings[Name] | null | ((runtime: Runtime) => Settings[Name])
  }
  /** Rejects setting values that their schema cannot judge: 400. */
  readonly refuseSettings?: (changes: Partial<Settings>, runtime: Runtime) => void
  /** Called inside the change that sets settings, with the new values and all former ones. */
  readonly settingsChanged?: (ctx: Context, changed: Partial<Settings>, before: Partial<Settings>) => void
  readonly jobs?: (runtime: Runtime, outside: Outside) => readonly JobKind[]
  /** Lane families besides the accounts' own, and how many jobs of each run concurrently. */
  readonly lanes?: Readonly<Record<string, number>>
  /** Services that only this area can provide. */
  readonly services?: Partial<Services>
  /** What the store must know about its tables. */
  readonly stored?: Partial<StoreParts>
  /** Called in a new store's first change, in the order of areas. */
  readonly first?: (runtime: Runtime) => void
  /** Called at each start, before any job runs. */
  readonly prepare?: (runtime: Runtime, outside: Outside) => Promise<void>
  /** Called inside the change that enqueues a job, also when a queued job absorbs it. */
  readonly onJob?: (runtime: Runtime, job: NewJob) => void
  /** Called inside the change that records an event. */
  readonly onEvent?: (runtime: Runtime, event: EventRow) => void
  /** Called inside a change before events up to a seq are pruned: deletes at most `limit` rows that refer to them, and returns how many. */
  readonly onPrune?: (runtime: Runtime, seq: number, limit: number) => number
  /** Starts its background work. */
  readonly start?: (runtime: Runtime, outside: Outside) => Engine | Promise<Engine>
}

declare module '../runtime.ts' {
  interface Runtime {
    /** In the order of the list of areas. */
    readonly areas: readonly Area[]
  }
}
