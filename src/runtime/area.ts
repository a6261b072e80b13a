import type { StoreParts } from '../store/parts.ts'
import type { Context, NewJob } from './context.ts'
import type { EventRow } from './emission.ts'
import type { Engine } from './engine.ts'
import type { Finders } from './found.ts'
import type { JobKind } from './kind.ts'
import type { Services } from './ports.ts'
import type { Handlers } from './run.ts'
import type { Runtime } from './runtime.ts'
import type { Settings } from './settings.ts'

/** What lies outside of the runtime and its store: areas name here what they reach, and who composes them provides it. */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging fills it
export interface Outside {}

/**
 * One part of the API, as its folder plugs in. An area that others hang on adds a property for them, by declaration
 * merging: `ofAccount` is declared by the area of accounts.
 */
export interface Area {
  readonly name: string
  readonly handlers: Partial<Handlers>
  readonly finders?: Finders
  /** What `/settings` shows and changes, and what holds until it is set. */
  readonly settings?: { readonly [Name in keyof Settings]?: Settings[Name] | null }
  /** Refuses values of its settings that their schema cannot judge: 400. */
  readonly refuseSettings?: (changes: Partial<Settings>, runtime: Runtime) => void
  /** Called inside the change that gives settings other values, with those. */
  readonly settingsChanged?: (ctx: Context, changed: Partial<Settings>) => void
  readonly jobs?: (runtime: Runtime, outside: Outside) => readonly JobKind[]
  /** Families of lanes beside the accounts' own, and how many jobs of each run at a time. */
  readonly lanes?: Readonly<Record<string, number>>
  /** What it alone can answer for all. */
  readonly services?: Partial<Services>
  /** What the store has to know of its tables. */
  readonly stored?: Partial<StoreParts>
  /** Called in the very first change of a store, in the order of areas. */
  readonly first?: (runtime: Runtime) => void
  /** Called at each start, before any job runs. */
  readonly prepare?: (runtime: Runtime, outside: Outside) => Promise<void>
  /** Called inside the change that asks for a job, queued anew or not. */
  readonly onJob?: (runtime: Runtime, job: NewJob) => void
  /** Called inside the change that records an event. */
  readonly onEvent?: (runtime: Runtime, event: EventRow) => void
  /** Called inside a change before events up to a seq are pruned: deletes at most `limit` rows that refer to them, and returns how many. */
  readonly onPrune?: (runtime: Runtime, seq: number, limit: number) => number
  /** Begins its work in the background. */
  readonly start?: (runtime: Runtime, outside: Outside) => Engine | Promise<Engine>
}

declare module './runtime.ts' {
  interface Runtime {
    /** In the order of their list. */
    readonly areas: readonly Area[]
  }
}
