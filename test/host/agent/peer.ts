import type { Duplex } from 'node:stream'
import type { Transport } from '../../../src/host/agent/client/transport.ts'
import { encode, type Frame, FrameReader } from '../../../src/host/agent/protocol/frames.ts'
import { connected } from '../../socket-pair.ts'

export const hello = {
  type: 'hello',
  protocol: { min: 1, max: 1 },
  build: 'test',
  boot: 'test',
  capabilities: [],
  undone: [],
}

/** One end of a connection that sends what it is told, and receives frames one by one. */
export class Peer {
  readonly stream: Duplex
  readonly #frames: AsyncGenerator<Frame>

  constructor(stream: Duplex) {
    this.stream = stream
    this.#frames = framesOf(stream)
  }

  say(...frames: readonly object[]): void {
    for (const frame of frames) this.stream.write(encode(frame))
  }

  /** The next frame; undefined once the connection has closed. */
  async hear(): Promise<Frame | undefined> {
    return (await this.#frames.next()).value
  }
}

async function* framesOf(stream: Duplex): AsyncGenerator<Frame> {
  const reader = new FrameReader()
  reader.trust()
  try {
    for await (const chunk of stream) yield* reader.read(chunk)
  } catch {
    // Destroyed: nothing more will arrive.
  } finally {
    // Newer Node leaves the writing side open after the reading side has ended.
    stream.destroy()
  }
}

/** A transport whose agents are played by a test: each connection is handed to it. */
export function played(play: (agent: Peer, count: number) => void): Transport {
  let count = 0
  return async () => {
    const [own, theirs] = connected()
    const agent = new Peer(theirs)
    const ended = new Promise<string>((resolve) => theirs.once('close', () => resolve('The host agent exited.')))
    play(agent, ++count)
    return { stream: own, ended, bulk: () => Promise.reject(new Error('no bulk')), kill: () => void theirs.destroy() }
  }
}
