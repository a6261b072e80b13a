import { deliveryHeaders } from '../../../shared/signature.ts'
import { CliError } from '../../errors.ts'
import type { Client } from '../../request/client.ts'
import type { FeedEvent } from './follow.ts'

export interface Delivery {
  readonly headers: Record<string, string>
  readonly body: string
}

/** The request that a webhook would send for an event: the first attempt, signed now. */
export function deliveryOf({ seq: _seq, ...event }: FeedEvent, server: string, secret: string): Delivery {
  const body = JSON.stringify({ ...event, server })
  const { id, type } = event as unknown as FeedEvent
  const timestamp = Math.floor(Date.now() / 1000)
  return { body, headers: deliveryHeaders({ secret }, { event: id, type, number: 1, timestamp, body }) }
}

/** The server's name in its deliveries: read with a token, otherwise taken from its problem URLs. */
export async function serverName(client: Client): Promise<string> {
  try {
    const { body } = await client.call({ method: 'GET', path: '/token' })
    return (body as { server: string }).server
  } catch (error) {
    if (!(error instanceof CliError) || error.problem.status !== 404) throw error
    const { type } = error.problem
    return URL.canParse(type) ? new URL(type).hostname : client.target.url.hostname
  }
}
