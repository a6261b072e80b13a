import { Hono } from 'hono'
import { overloaded, Problem } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { Turn } from '../../runtime/jobs/shares.ts'
import { SharedSlots } from '../../runtime/shared-slots.ts'
import type { SessionView } from '../kit/screen.ts'
import type { News } from '../pages/fragments.tsx'
import { type C, type Screens, serve } from '../panel-request.ts'
import { pageHeaders } from './responses.ts'

const POLL_INTERVAL_MS = 1_000
/** Browsers reconnect by themselves. */
const MAX_STREAM_MS = 60_000

/** Open streams; a session is one caller. */
const streams = new SharedSlots({ inAll: 100, ofOwner: 24, ofAccount: 12, ofCaller: 3 })

type SignedIn = SessionView & { readonly csrf_token: string }

// biome-ignore lint/suspicious/noExplicitAny: the environment is the server's affair
type WebApp = Hono<any>

/** Serves pages only: their errors end a stream. */
export function pagesAlone(get: (c: C) => Promise<Response>): WebApp {
  const app: WebApp = new Hono()
  app.onError(() => new Response(null, { status: 404 }))
  return app.get('/*', get)
}

/** Streams a page's changes: polls the page below `/live` for its parts and new lines, with all permission checks. */
export async function live(web: WebApp, screens: Screens, c: C, panel: PanelName): Promise<Response> {
  if (c.req.method !== 'GET')
    throw new Problem('method-not-allowed', 'A stream takes GET.', undefined, { Allow: 'GET' })
  const session = await sessionOf(screens, c, panel)
  if (!session) return streamOf(screens, eventOf('end', ''))
  const leave = streams.enter(session.csrf_token, turnOf(screens, session))
  if (!leave) throw overloaded('Too many pages are followed at once.')
  const stop = new AbortController()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const line: EventSink = {
        send: (text) => controller.enqueue(encoder.encode(text)),
        hasRoom: () => (controller.desiredSize ?? 0) >= 0,
      }
      await follow(web, screens, c, stop.signal, line).catch(() => undefined)
      leave()
      if (!stop.signal.aborted) controller.close()
    },
    cancel: () => stop.abort(),
  })
  return streamOf(screens, body)
}

/** The requesting session; the browser's other sessions do not count. */
async function sessionOf(screens: Screens, c: C, panel: PanelName): Promise<SignedIn | undefined> {
  try {
    const { session } = await serve(screens, c, panel, following)
    return session.authenticated ? (session as SignedIn) : undefined
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** Whose share a session's streams count towards; undefined for root. */
function turnOf(screens: Screens, { account_id, reseller }: SignedIn): Turn | undefined {
  const account = account_id ?? reseller?.id
  return account === undefined ? undefined : screens.turnOf(account)
}

/** Following a page does not extend the session. */
const following = { headers: { 'x-part': 'live' } } as const

const streamOf = (screens: Screens, body: ReadableStream<Uint8Array> | string): Response =>
  new Response(body, { headers: { ...screens.headers, ...pageHeaders, ...streamed } })

const encoder = new TextEncoder()
const streamed = { 'Content-Type': 'text/event-stream' } as const

/** A stream to a browser. */
interface EventSink {
  send(text: string): void
  /** Whether it has consumed what was sent before. */
  hasRoom(): boolean
}

async function follow(
  web: WebApp,
  screens: Screens,
  c: C,
  stop: AbortSignal,
  { send, hasRoom }: EventSink,
): Promise<void> {
  const began = screens.now()
  let after = c.req.header('last-event-id') ?? c.req.query('after')
  send(`retry: ${POLL_INTERVAL_MS}\n\n`)
  for (let lastHtml = ''; screens.now() - began < MAX_STREAM_MS; ) {
    const news = hasRoom() ? await newsFrom(web, c, after) : 'later'
    if (stop.aborted) return
    if (news !== 'later') {
      if (news && lasting(news.parts) !== lastHtml) send(eventOf('part', news.parts))
      if (news?.lines) send(eventOf('line', news.lines, news.after))
      if (!news?.goesOn) return send(eventOf('end', ''))
      lastHtml = lasting(news.parts)
      after = news.after ?? after
      if (news.hasMore) continue
    }
    if (!(await screens.wait(POLL_INTERVAL_MS, stop))) return
  }
}

/** Without what changes on every rendering. */
const lasting = (html: string): string =>
  html.replace(/name="(csrf_token|_key)" value="[^"]*"/g, '').replace(/(<time[^>]*>)[^<]*/g, '$1')

/** The page's current news; undefined if it is refused. */
async function newsFrom(web: WebApp, c: C, after: string | undefined): Promise<News | undefined> {
  const answer = await web.fetch(newsRequest(c, after), c.env)
  const isNews = answer.status === 200 && /json/.test(answer.headers.get('content-type') ?? '')
  return isNews ? ((await answer.json()) as News) : undefined
}

/** A request for the page's own address, as its browser would send it, for the news. */
function newsRequest({ req }: C, after: string | undefined): Request {
  const headers = new Headers(req.header())
  for (const name of ['accept-encoding', 'last-event-id']) headers.delete(name)
  headers.set('x-part', 'live')
  const url = new URL(req.url)
  url.pathname = url.pathname.replace(/^(\/(?:user|admin))\/live(?=\/)/, '$1')
  if (after !== undefined) url.searchParams.set('after', after)
  return new Request(url, { headers })
}

/** Each line of data needs its own `data:` field. */
const eventOf = (type: string, data: string, id?: string): string =>
  `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}${data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('')}\n`
