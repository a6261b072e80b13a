import type { Json } from '../../world.ts'
import type { Known } from '../known.ts'
import type { State } from './state.ts'

const line = ({ seq, id, type }: Json): string => `${seq} ${id} ${type}`

/** Who followed the feed has seen what is in it: nothing was taken back, doubled or put in between. */
export function eventProblems({ events }: State, known: readonly Known[], seen: readonly Json[]): string[] {
  return [...asFollowed(events, seen), ...inOrder(events), ...ofCreates(events, known)]
}

function asFollowed(events: readonly Json[], seen: readonly Json[]): string[] {
  const other = seen.findIndex((event, n) => !events[n] || line(events[n]) !== line(event))
  if (other >= 0)
    return [`the feed was ${line(seen[other])}, and is ${events[other] ? line(events[other]) : 'shorter'}`]
  return seen.length < events.length ? [`${events.length - seen.length} events were never seen by who followed`] : []
}

function inOrder(events: readonly Json[]): string[] {
  const back = events
    .filter(({ seq }, n) => n > 0 && seq <= events[n - 1].seq)
    .map(({ seq }) => `event ${seq}: not in order`)
  const twice = events.length - new Set(events.map(({ id }) => id)).size
  return [...back, ...(twice > 0 ? [`${twice} events have an id of another`] : [])]
}

function ofCreates(events: readonly Json[], known: readonly Known[]): string[] {
  const counts = new Map<string, number>()
  for (const { type, account_id } of events)
    if (type === 'account.created') counts.set(account_id, (counts.get(account_id) ?? 0) + 1)
  return known
    .filter(({ id }) => counts.get(id!) !== 1)
    .map(({ id, username }) => `${username}: ${counts.get(id!) ?? 0} events say that it was created`)
}
