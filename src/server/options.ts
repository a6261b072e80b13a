import type { Declaration } from '../contract/operation.ts'
import type { Requests } from '../runtime/metrics/requests.ts'
import type { Answer } from '../runtime/run.ts'
import type { Runtime } from '../runtime/runtime.ts'

/** What the routes and screens are made with. */
export interface AppOptions {
  readonly runtime: Runtime
  /** Scheme, host and port the server is reached at. */
  readonly origin: () => string
  /** SHA-256 of the key of its certificate, where no authority signed that. */
  readonly pin: () => string | undefined
  /** Proxies whose X-Forwarded-For is believed. */
  readonly trusts: (address: string) => boolean
  /** Whether the store and the work behind it are well. */
  readonly healthy: () => Promise<boolean>
  readonly requests: Requests
  /** Aborted when the server stops, so that waiting requests are answered at once. */
  readonly stopping: AbortSignal
  /** Told of every answer of the API: tests check it against the description. */
  readonly observe?: (op: Declaration, answer: Answer) => void
}
