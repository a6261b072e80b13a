import type * as declared from '../../../contract/email/queue.ts'
import type { Input } from '../../../contract/operation.ts'
import { Problem } from '../../../contract/problem.ts'
import type { QueueFilter } from '../../../host/contract/driver.ts'

type Body = Input<typeof declared.deleteMailQueue>['body']
type Narrowing = Omit<Body, 'account_id'>

const BOUNCES = '<>'

/** The host's filter of a request's, as of a time. */
export const filterOf = (
  { ids, sender, recipient_domain, held, older_than_s }: Narrowing,
  now: number,
): QueueFilter => ({
  ...(ids && { ids }),
  ...(sender !== undefined && { sender: sender === BOUNCES ? '' : sender.toLowerCase() }),
  ...(recipient_domain !== undefined && { recipientDomain: recipient_domain }),
  ...(held !== undefined && { onHold: held }),
  ...(older_than_s !== undefined && { arrivedBefore: Math.max(0, now - older_than_s * 1000) }),
})

/** 400 for a change of everything, which is more often a missing filter than a wish. */
export function refuseEverything(body: Body): void {
  if (Object.values(body).some((value) => value !== undefined)) return
  const message = 'name messages by ids, or give a filter'
  throw new Problem('validation', `ids: ${message}`, { ids: message })
}

/** What is changed: no message that arrived after the request. */
export const changedBy = (body: Narrowing, now: number): QueueFilter => {
  const filter = filterOf(body, now)
  return { ...filter, arrivedBefore: Math.min(now, filter.arrivedBefore ?? now) }
}
