import type { Duplex } from 'node:stream'

/** A way to the agent, as far as it is open. */
export interface Channel {
  readonly stream: Duplex
  /** Resolves when the other end is gone, with a sentence that says how it went. */
  readonly ended: Promise<string>
  /** Opens another connection to the same agent, for bytes. */
  readonly bulk: () => Promise<Duplex>
  /** Whether bytes come and go so fast that commands beside them would suffer. */
  readonly isShared?: boolean
  /** Ends the other end, whatever it is doing. */
  kill(): void
}

/** Opens a way to the agent; throws an error with a sentence when there is none. */
export type Transport = () => Promise<Channel>
