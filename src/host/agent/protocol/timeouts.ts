import type { Duplex } from 'node:stream'

/** How often the control plane pings a node. */
export const beat = 2000
/** After this much silence the other end is considered gone. */
export const MAX_SILENCE_MS = 6000

export type After = (ms: number, act: () => void) => () => void

/** Calls `dead` once if a stream that is being read is silent for too long. */
export function watchSilence(stream: Duplex, after: After, dead: () => void): void {
  let cancel = (): void => {}
  const listen = (): void => {
    cancel()
    cancel = after(MAX_SILENCE_MS, due)
  }
  // Data that arrived while this process was blocked is still unread.
  const due = (): void => {
    cancel = (): void => clearImmediate(turn)
    let turn = setImmediate(() => {
      turn = setImmediate(dead)
    })
  }
  stream.on('data', listen)
  stream.once('close', () => cancel())
  listen()
}
