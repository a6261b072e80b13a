import type { Child } from 'hono/jsx'
import { notFound } from '../contract/problem.ts'
import { fragment } from './answers.ts'
import { Finished, isUnderWay } from './finished.tsx'
import type { Shown, Visit } from './kit/screen.ts'
import type { C, Screens } from './served.ts'

/** The part of a page that is asked for alone. */
export const partAsked = (c: C): string | undefined => c.req.header('x-part')

/** The parts of a page that change while one looks at it, by their ids. */
export const partsOf = (shown: Shown, visit: Visit): Readonly<Record<string, Child>> => ({
  ...(visit.done && { done: <Finished done={visit.done} visit={visit} /> }),
  ...shown.parts,
})

/** Whether there is more to come: a job is under way. */
export const isTurning = ({ headers }: Response): boolean => headers.has(turning)

const turning = 'X-Turning'

/** One part, or with `live` all of those that change. */
export function partOf(screens: Screens, c: C, name: string, shown: Shown, visit: Visit): Response {
  const parts = partsOf(shown, visit)
  const wanted = name === 'live' ? Object.values(parts) : Object.hasOwn(parts, name) ? [parts[name]] : []
  if (wanted.length === 0 && name !== 'live') throw notFound('part')
  const answer = fragment(screens, c, <>{wanted}</>)
  if (name === 'live' && isUnderWay(visit.done)) answer.headers.set(turning, 'true')
  return answer
}
