import { Hono } from 'hono'
import { overloaded, Problem } from '../contract/problem.ts'
import type { PanelName } from '../contract/sessions.ts'
import { pageHeaders } from './answers.ts'
import type { News } from './part.tsx'
import { type C, type Screens, serve } from './served.ts'

const mostOfSession = 3
/** One who signs in again and again must leave room for others. */
const mostOfUser = 12
const mostInAll = 100
const pause = 1_000
/** Browsers come back by themselves. */
const longest = 60_000

/** Streams that are open, by session. */
const open = new Map<string, number>()
const openOf = (owners: string): number =>
  [...open].reduce((sum, [owner, count]) => sum + (owner.startsWith(owners) ? count : 0), 0)

// biome-ignore lint/suspicious/noExplicitAny: the environment is the server's affair
type App = Hono<any>

/** Pages alone: what they refuse ends a stream. */
export function pagesAlone(get: (c: C) => Promise<Response>): App {
  const app: App = new Hono()
  app.onError(() => new Response(null, { status: 404 }))
  return app.get('/*', get)
}

/**
 * What changes on a page, as it changes: below `/live` stands the address of the page, which is asked again and again
 * for its parts and for the lines that came, with all rights judged anew.
 */
export async function live(web: App, screens: Screens, c: C, panel: PanelName): Promise<Response> {
  if (c.req.method !== 'GET')
    throw new Problem('method-not-allowed', 'A stream takes GET.', undefined, { Allow: 'GET' })
  const owner = await ownerOf(screens, c, panel)
  if (owner === undefined) return streamOf(screens, eventOf('end', ''))
  refuseMore(owner)
  open.set(owner, (open.get(owner) ?? 0) + 1)
  const stop = new AbortController()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const line: Line = {
        send: (text) => controller.enqueue(encoder.encode(text)),
        hasRoom: () => (controller.desiredSize ?? 0) >= 0,
      }
      await follow(web, screens, c, stop.signal, line).catch(() => undefined)
      leave(owner)
      if (!stop.signal.aborted) controller.close()
    },
    cancel: () => stop.abort(),
  })
  return streamOf(screens, body)
}

function refuseMore(owner: string): void {
  const user = owner.slice(0, owner.indexOf(' ') + 1)
  if (openOf(owner) < mostOfSession && openOf(user) < mostOfUser && openOf('') < mostInAll) return
  throw overloaded('Too many pages are followed at once.')
}

/** The session that asks, if it is one, after whose it is: other cookies beside its own do not count. */
async function ownerOf(screens: Screens, c: C, panel: PanelName): Promise<string | undefined> {
  try {
    const { session } = await serve(screens, c, panel, following)
    return session.authenticated ? `${panel}/${session.username} ${session.csrf_token}` : undefined
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** To follow a page is not to use the session. */
const following = { headers: { 'x-part': 'live' } } as const

const streamOf = (screens: Screens, body: ReadableStream<Uint8Array> | string): Response =>
  new Response(body, { headers: { ...screens.headers, ...pageHeaders, ...streamed } })

const encoder = new TextEncoder()
const streamed = { 'Content-Type': 'text/event-stream' } as const

function leave(owner: string): void {
  const left = (open.get(owner) ?? 1) - 1
  if (left > 0) open.set(owner, left)
  else open.delete(owner)
}

/** The way to a browser. */
interface Line {
  send(text: string): void
  /** Whether it has taken what was sent before. */
  hasRoom(): boolean
}

async function follow(web: App, screens: Screens, c: C, stop: AbortSignal, { send, hasRoom }: Line): Promise<void> {
  const began = screens.now()
  let after = c.req.header('last-event-id') ?? c.req.query('after')
  send(`retry: ${pause}\n\n`)
  for (let told = ''; screens.now() - began < longest; ) {
    const news = hasRoom() ? await newsFrom(web, c, after) : 'later'
    if (stop.aborted) return
    if (news !== 'later') {
      if (news && lasting(news.parts) !== told) send(eventOf('part', news.parts))
      if (news?.lines) send(eventOf('line', news.lines, news.after))
      if (!news?.goesOn) return send(eventOf('end', ''))
      told = lasting(news.parts)
      after = news.after ?? after
      if (news.hasMore) continue
    }
    if (!(await screens.wait(pause, stop))) return
  }
}

/** Without what is made anew with each rendering. */
const lasting = (html: string): string =>
  html.replace(/name="(csrf_token|_key)" value="[^"]*"/g, '').replace(/(<time[^>]*>)[^<]*/g, '$1')

/** What the page tells now; nothing where it is refused. */
async function newsFrom(web: App, c: C, after: string | undefined): Promise<News | undefined> {
  const answer = await web.fetch(newsRequest(c, after), c.env)
  const isNews = answer.status === 200 && /json/.test(answer.headers.get('content-type') ?? '')
  return isNews ? ((await answer.json()) as News) : undefined
}

/** The page's own address, asked for its news as its browser would. */
function newsRequest({ req }: C, after: string | undefined): Request {
  const headers = new Headers(req.header())
  for (const name of ['accept-encoding', 'last-event-id']) headers.delete(name)
  headers.set('x-part', 'live')
  const url = new URL(req.url)
  url.pathname = url.pathname.replace(/^(\/(?:user|admin))\/live(?=\/)/, '$1')
  if (after !== undefined) url.searchParams.set('after', after)
  return new Request(url, { headers })
}

/** Each line of the data stands on a line of its own. */
const eventOf = (type: string, data: string, id?: string): string =>
  `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}${data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('')}\n`
