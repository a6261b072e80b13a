import type { Duplex } from 'node:stream'

/** How often the control plane asks whether a node lives. */
export const beat = 2000
/** After so long with nothing heard the other end is gone. */
export const longestSilence = 6000

export type After = (ms: number, act: () => void) => () => void

/** Tells once when nothing has come over a stream that is read for too long. */
export function watchSilence(stream: Duplex, after: After, dead: () => void): void {
  let cancel = (): void => {}
  const listen = (): void => {
    cancel()
    cancel = after(longestSilence, due)
  }
  // What came while this process was held up still waits to be read.
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
