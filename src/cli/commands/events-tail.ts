import { clientOf, type Invocation } from '../invocation.ts'
import { printEvent } from '../output/event.ts'
import { viewOf } from '../output/view.ts'
import { operationOf } from '../table.ts'
import type { FeedEvent } from './feed/follow.ts'
import { feedOptions } from './feed/options.ts'
import { followFeed } from './feed/run.ts'

/** Prints events as they happen. */
export async function run(invocation: Invocation): Promise<void> {
  const view = viewOf(invocation, operationOf('listEvents'))
  const options = feedOptions(invocation, 'type')
  let first = true
  const handle = async (event: FeedEvent): Promise<void> => {
    await printEvent(view, event, first)
    first = false
  }
  await followFeed(invocation, clientOf(invocation), options, handle)
}
