import type { Declaration } from '../contract/operation.ts'
import type { Requests } from '../runtime/metrics/requests.ts'
import type { Answer } from '../runtime/operations/run.ts'
import type { Runtime } from '../runtime/runtime.ts'

/** Options of the routes and screens. */
export interface AppOptions {
  readonly runtime: Runtime
  /** The server's external URL. */
  readonly origin: () => string
  /** SHA-256 of its certificate's public key, if it is self-signed. */
  readonly pin: () => string | undefined
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly trusts: (address: string) => boolean
  /** Whether the store and the background work are healthy. */
  readonly healthy: () => Promise<boolean>
  readonly requests: Requests
  /** Aborted when the server stops, so that waiting requests respond at once. */
  readonly stopping: AbortSignal
  /** Called with every API response: tests check it against the OpenAPI document. */
  readonly observe?: (op: Declaration, answer: Answer) => void
}
