import type { Child } from 'hono/jsx'
import { notFound } from '../contract/problem.ts'
import { fragment } from './answers.ts'
import { Finished, isUnderWay } from './finished.tsx'
import { Head } from './kit/page.tsx'
import type { Shown, Visit } from './kit/screen.ts'
import { inLanguageOf } from './language.ts'
import type { C, Screens } from './served.ts'

/** The part of a page that the request asks for. */
export const partAsked = (c: C): string | undefined => c.req.header('x-part')

/** The parts of a page that change while it is open, by id. */
const partsOf = (shown: Shown, visit: Visit): Readonly<Record<string, Child>> => ({
  ...(visit.done && { done: <Finished done={visit.done} visit={visit} /> }),
  ...(shown.live && { head: <Head {...shown} /> }),
  ...shown.parts,
})

/** The news of a live page: its current parts, and new lines. */
export interface News {
  readonly parts: string
  readonly lines?: string
  readonly after?: string
  readonly hasMore?: boolean
  readonly goesOn: boolean
}

/** Whether more is to come. */
export const goesOn = ({ live }: Shown, { done }: Visit): boolean => isUnderWay(done) || live?.goesOn === true

function newsOf(shown: Shown, visit: Visit): News {
  const { lines } = shown.live ?? {}
  return {
    parts: textOf(Object.values(partsOf(shown, visit))),
    ...(lines && { lines: textOf([lines.shown]), after: lines.after, hasMore: lines.hasMore }),
    goesOn: goesOn(shown, visit),
  }
}

/** One part, or with `live` all that change. */
export async function partOf(screens: Screens, c: C, name: string, shown: Shown, visit: Visit): Promise<Response> {
  if (name === 'live')
    return Response.json(
      inLanguageOf(c, () => newsOf(shown, visit)),
      { headers: { ...screens.headers, Vary: 'Cookie, Accept-Language' } },
    )
  const parts = partsOf(shown, visit)
  if (!Object.hasOwn(parts, name)) throw notFound('part')
  return fragment(screens, c, parts[name])
}

const textOf = (nodes: readonly Child[]): string => String(<>{nodes}</>)
