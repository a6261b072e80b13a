import type { Client } from '../client.ts'
import { interrupted } from '../errors.ts'
import { type Invocation, textOption } from '../invocation.ts'
import { note, outputClosed } from '../terminal.ts'
import { countOption } from '../values.ts'
import { Feed, type FeedEvent } from './follow.ts'
import { feedPath, resumeLine, sinceOption, typesOption } from './options.ts'

export interface Handling {
  /** The option that names the types. */
  readonly types: string
  handle(event: FeedEvent, signal: AbortSignal): Promise<void>
}

/** Follows the feed until Ctrl-C, or until whoever reads has gone or enough was read; then says how to go on. */
export async function followFeed(invocation: Invocation, client: Client, { types, handle }: Handling): Promise<void> {
  const stopped = new AbortController()
  const stop = (): void => stopped.abort(interrupted())
  process.once('SIGINT', stop)
  try {
    const feed = await begun(invocation, client, types, stopped.signal)
    await untilStopped(invocation, feed, stopped.signal, (event) => handle(event, stopped.signal))
  } finally {
    process.off('SIGINT', stop)
  }
}

async function begun(invocation: Invocation, client: Client, option: string, signal: AbortSignal): Promise<Feed> {
  const [types, since] = [typesOption(invocation, option), sinceOption(invocation)]
  const path = await feedPath(invocation, client)
  const feed = new Feed({ client, path, signal, ...(types && { types }), ...(since !== undefined && { since }) })
  await feed.begin()
  if (!invocation.globals.quiet) note(`following ${client.target.label} after ${feed.cursor}; Ctrl-C ends it`)
  return feed
}

async function untilStopped(
  invocation: Invocation,
  feed: Feed,
  signal: AbortSignal,
  handle: (event: FeedEvent) => Promise<void>,
): Promise<void> {
  try {
    await takeEach(feed, signal, handle, limitOf(invocation))
  } catch (error) {
    if (signal.aborted) throw interrupted('Interrupted', `go on with: ${resumeLine(invocation, feed.cursor)}`)
    note(`to go on: ${resumeLine(invocation, feed.cursor)}`)
    throw error
  }
}

const limitOf = (invocation: Invocation): number => {
  const limit = textOption(invocation, 'limit')
  return limit === undefined ? Number.POSITIVE_INFINITY : countOption('limit', limit)
}

async function takeEach(
  feed: Feed,
  signal: AbortSignal,
  handle: (event: FeedEvent) => Promise<void>,
  limit: number,
): Promise<void> {
  let taken = 0
  for await (const event of feed) {
    await handle(event)
    feed.passed(event)
    signal.throwIfAborted()
    if (++taken >= limit || outputClosed()) return
  }
  signal.throwIfAborted()
}
