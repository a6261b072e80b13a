import { type Duplex, duplexPair } from 'node:stream'

/** Two ends of a connection in this process: when one is gone, so is the other, as with sockets. */
export function connected(): [Duplex, Duplex] {
  const [one, other] = duplexPair()
  one.once('close', () => setImmediate(() => other.destroy()))
  other.once('close', () => setImmediate(() => one.destroy()))
  return [one, other]
}
