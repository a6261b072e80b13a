import { type Duplex, duplexPair } from 'node:stream'

/** Two ends of a connection in this process: closing one closes the other, like sockets. */
export function connected(): [Duplex, Duplex] {
  const [one, other] = duplexPair()
  one.once('close', () => setImmediate(() => other.destroy()))
  other.once('close', () => setImmediate(() => one.destroy()))
  return [one, other]
}
