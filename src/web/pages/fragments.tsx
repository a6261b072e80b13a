import type { Child } from 'hono/jsx'
import { notFound } from '../../contract/problem.ts'
import { Flash, isInProgress } from '../forms/flash.tsx'
import { inLanguageOf } from '../http/language.ts'
import { fragment } from '../http/responses.ts'
import { AccountStatus, Content, Head } from '../kit/components/page.tsx'
import type { PageView, ViewContext } from '../kit/screen.ts'
import type { C, Screens } from '../panel-request.ts'

/** The part of a page that the request asks for. */
export const requestedFragment = (c: C): string | undefined => c.req.header('x-part')

/** The parts of a page that change while it is open, by id. */
const fragmentsOf = (pageView: PageView, view: ViewContext): Readonly<Record<string, Child>> => ({
  ...(view.done && { done: <Flash done={view.done} view={view} /> }),
  ...(pageView.live && { head: <Head {...pageView} /> }),
  ...pageView.parts,
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
export const goesOn = ({ live }: PageView, { done }: ViewContext): boolean =>
  isInProgress(done) || live?.continues === true

function newsOf(pageView: PageView, view: ViewContext): News {
  const { lines } = pageView.live ?? {}
  return {
    parts: textOf(Object.values(fragmentsOf(pageView, view))),
    ...(lines && { lines: textOf([lines.content]), after: lines.after, hasMore: lines.hasMore }),
    goesOn: goesOn(pageView, view),
  }
}

/** One part, or with `live` all that change. */
export async function fragmentOf(
  screens: Screens,
  c: C,
  name: string,
  pageView: PageView,
  view: ViewContext,
): Promise<Response> {
  if (name === 'live')
    return Response.json(
      inLanguageOf(c, () => newsOf(pageView, view)),
      { headers: { ...screens.headers, Vary: 'Cookie, Accept-Language' } },
    )
  const content = [
    <Head {...pageView} />,
    <Content body={pageView.body} />,
    view.account ? <AccountStatus status={view.account.status} /> : null,
  ]
  const parts: Readonly<Record<string, Child>> = { ...fragmentsOf(pageView, view), content }
  if (!Object.hasOwn(parts, name)) throw notFound('part')
  return fragment(screens, c, parts[name])
}

const textOf = (nodes: readonly Child[]): string => String(<>{nodes}</>)
