import { Hono } from 'hono'
import { overloaded } from '../contract/problem.ts'
import { pageHeaders } from './answers.ts'
import { isTurning } from './part.tsx'
import type { C, Screens } from './served.ts'

const mostOfSession = 3
const mostInAll = 100
const pause = 1_000
/** Browsers come back by themselves. */
const longest = 60_000

/** Streams that are open, by the cookies that came. */
const open = new Map<string, number>()
const inAll = (): number => [...open.values()].reduce((sum, count) => sum + count, 0)

// biome-ignore lint/suspicious/noExplicitAny: the environment is the server's affair
type App = Hono<any>

/** Pages alone: what they refuse ends a stream. */
export function pagesAlone(get: (c: C) => Promise<Response>): App {
  const app: App = new Hono()
  app.onError(() => new Response(null, { status: 404 }))
  return app.get('/*', get)
}

/**
 * The parts of a page that change, as they change: below `/live` stands the address of the page, which is asked for its
 * parts again and again, with all rights judged anew.
 */
export function live(web: App, screens: Screens, c: C): Response {
  const owner = c.req.header('cookie') ?? ''
  const own = open.get(owner) ?? 0
  if (own >= mostOfSession || inAll() >= mostInAll) throw overloaded('Too many pages are followed at once.')
  open.set(owner, own + 1)
  const stop = new AbortController()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text))
      await follow(web, screens, c, stop.signal, send).catch(() => undefined)
      leave(owner)
      if (!stop.signal.aborted) controller.close()
    },
    cancel: () => stop.abort(),
  })
  return new Response(body, { headers: { ...screens.headers, ...pageHeaders, ...streamed } })
}

const encoder = new TextEncoder()
const streamed = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } as const

function leave(owner: string): void {
  const left = (open.get(owner) ?? 1) - 1
  if (left > 0) open.set(owner, left)
  else open.delete(owner)
}

async function follow(web: App, screens: Screens, c: C, stop: AbortSignal, send: (text: string) => void) {
  const began = screens.now()
  for (let last = ''; !stop.aborted && screens.now() - began < longest; ) {
    const answer = await web.fetch(partsRequest(c), c.env)
    const html = answer.status === 200 ? await answer.text() : ''
    if (stop.aborted) return
    if (html !== last) send(eventOf('part', html))
    last = html
    if (!isTurning(answer)) return send(eventOf('end', ''))
    if (!(await screens.wait(pause, stop))) return
  }
}

/** The page's own address, asked for its parts as its browser would. */
function partsRequest({ req }: C): Request {
  const headers = new Headers(req.header())
  headers.delete('accept-encoding')
  headers.set('x-part', 'live')
  return new Request(req.url.replace(/^(https?:\/\/[^/]+\/(?:user|admin))\/live(?=\/)/, '$1'), { headers })
}

/** Each line of the data stands on a line of its own. */
const eventOf = (type: string, data: string): string =>
  `event: ${type}\n${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}\n`
