import { type Duplex, type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FileBytes, HostOptions } from '../../contract/client.ts'
import type { CommandName } from '../protocol/messages.ts'
import type { Link } from './link.ts'
import type { Pace } from './pace.ts'

/** What the client provides: a link for one act, and a way to keep the agent busy. */
export interface InboxLimits {
  once<T>(act: (link: Link) => Promise<T>, options?: HostOptions): Promise<T>
  ask(link: Link, command: CommandName, input: unknown, options: HostOptions): Promise<unknown>
  working(): () => void
}

export type Ticketed<Answer> = Answer & { readonly ticket: string }

/** Requests bytes, which arrive on a connection of their own. */
export function bytesOf<Answer extends { readonly length: number }>(
  reach: InboxLimits,
  ask: (link: Link) => Promise<Ticketed<Answer>>,
  options: HostOptions,
): Promise<FileBytes<Omit<Ticketed<Answer>, 'ticket'>>> {
  return reach.once(async (link) => {
    const { ticket, ...answer } = await ask(link)
    const stream = await link.bulk(ticket)
    stream.end()
    if (options.signal?.aborted) stream.destroy()
    options.signal?.throwIfAborted()
    return { answer, stream: complete(reach, stream, answer.length, link.pace()) }
  }, options)
}

/** The agent is busy until the last byte; a stream that ends early is an error. */
function complete(reach: InboxLimits, stream: Duplex, length: number, pace: Pace): Readable {
  const rest = reach.working()
  let left = length
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      if (left < 0) return done(new Error('The host sent more than it said.'))
      const pause = pace.pass(chunk.length)
      if (pause) void pause.then(() => done(null, chunk))
      else done(null, chunk)
    },
    flush: (done) => done(left === 0 ? null : new Error('The host sent less than it said.')),
  })
  pipeline(stream, counted)
    .catch(() => {})
    .finally(rest)
  return counted
}
