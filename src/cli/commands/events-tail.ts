import { clientOf, type Invocation } from '../invocation.ts'
import { checkColumns } from '../output/columns.ts'
import { printEvent } from '../output/event.ts'
import { operationOf } from '../table.ts'
import type { FeedEvent } from './feed/follow.ts'
import { feedOptions } from './feed/options.ts'
import { followFeed } from './feed/run.ts'

/** Prints events as they happen. */
export async function run(invocation: Invocation): Promise<void> {
  checkColumns(invocation, operationOf('listEvents'))
  const options = feedOptions(invocation, 'type')
  let first = true
  const handle = async (event: FeedEvent): Promise<void> => {
    await printEvent(invocation, event, first)
    first = false
  }
  await followFeed(invocation, clientOf(invocation), options, handle)
}
