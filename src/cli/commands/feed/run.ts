import { interrupted, isTokenScope } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import type { Client } from '../../request/client.ts'
import { ownAccountOf } from '../../request/own-account.ts'
import { note, outputClosed, whenOutputCloses } from '../../terminal.ts'
import { Feed, type FeedEvent } from './follow.ts'
import { type FeedOptions, feedOf, feedPath, resumeLine } from './options.ts'

type Handle = (event: FeedEvent, signal: AbortSignal) => Promise<void>

const readerGone = new Error('standard output was closed')

/** Follows the feed until Ctrl-C, a closed pipe or the limit, then prints how to resume. */
export async function followFeed(
  invocation: Invocation,
  client: Client,
  options: FeedOptions,
  handle: Handle,
): Promise<void> {
  const stopped = new AbortController()
  const stop = (): void => stopped.abort(interrupted())
  process.once('SIGINT', stop)
  const unwatch = whenOutputCloses(() => stopped.abort(readerGone))
  try {
    const feed = await begun(invocation, client, options, stopped.signal)
    await untilStopped(invocation, feed, () => takeEach(feed, stopped.signal, handle, options.limit), stopped.signal)
  } catch (error) {
    if (!outputClosed()) throw error
  } finally {
    process.off('SIGINT', stop)
    unwatch()
  }
}

async function begun(invocation: Invocation, client: Client, options: FeedOptions, signal: AbortSignal): Promise<Feed> {
  const feedAt = async (path: string): Promise<Feed> => {
    const feed = new Feed({ ...options, client, path, signal })
    await feed.begin()
    return feed
  }
  const feed = await feedAt(await feedPath(invocation, client)).catch(async (error: unknown) => {
    if (!isTokenScope(error) || invocation.option('account') !== undefined) throw error
    return feedAt(feedOf((await ownAccountOf(client, error)).id))
  })
  if (!invocation.globals.quiet) note(`following ${client.target.label} after ${feed.cursor}; press Ctrl-C to stop`)
  return feed
}

async function untilStopped(
  invocation: Invocation,
  feed: Feed,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (signal.reason === readerGone) throw error
    if (signal.aborted) throw interrupted('Interrupted', `resume with: ${resumeLine(invocation, feed.cursor)}`)
    note(`to resume: ${resumeLine(invocation, feed.cursor)}`)
    throw error
  }
}

async function takeEach(feed: Feed, signal: AbortSignal, handle: Handle, limit: number): Promise<void> {
  let taken = 0
  for await (const event of feed) {
    await handle(event, signal)
    feed.passed(event)
    signal.throwIfAborted()
    if (++taken >= limit) return
  }
  signal.throwIfAborted()
}
