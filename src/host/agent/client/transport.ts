import type { Duplex } from 'node:stream'

/** An open connection to the agent. */
export interface Channel {
  readonly stream: Duplex
  /** Resolves when the other end is gone, with a sentence saying how it ended. */
  readonly ended: Promise<string>
  /** Opens another connection to the same agent, for bytes. */
  readonly bulk: () => Promise<Duplex>
  /** Whether bytes are so fast that commands beside them would suffer. */
  readonly isShared?: boolean
  /** Kills the other end, even if it is busy. */
  kill(): void
}

/** Connects to the agent; throws an error for users if it cannot. */
export type Transport = () => Promise<Channel>
