import { EventEmitter } from 'node:events'
import type { Store } from '../store/open.ts'
import type { Clock } from './clock/clock.ts'
import type { Metrics } from './metrics/registry.ts'
import type { Fingerprint } from './operations/fingerprint.ts'
import type { Limiter } from './operations/limits.ts'
import type { Encryption } from './security/seal.ts'

/** Emitters declare their signals here, by declaration merging. */
export interface Signals {
  /** A job was queued. */
  job: []
  /** A running job was asked to stop. */
  cancel: [jobId: string]
  /** A job has ended. */
  ended: [jobId: string]
}

/** Writes structured log lines; never given a secret. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What every operation and job runs on. Its ports, areas and kinds of jobs are declared in their own modules. */
export interface Runtime extends Encryption {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** The machine's name, as events and links show it. */
  readonly hostname: string
  /** Whether the host runs tenants' code: commands, builds, apps. */
  readonly runsTenantCode: boolean
  /** The API's base: `https://host:port/api/v1`. */
  readonly baseUrl: string
  /** The URL of the WHM-compatible front, if it runs. */
  readonly whmUrl: string | undefined
  /** Emitted after commits. A crash may lose signals, so listeners poll as well. */
  readonly signals: EventEmitter<Signals>
  readonly limiter: Limiter
  readonly metrics: Metrics
  id(): string
  readonly fingerprint: Fingerprint
}

export const newSignals = (): EventEmitter<Signals> => new EventEmitter<Signals>().setMaxListeners(0)

export { isFull, isStorageError } from '../store/storage-error.ts'
