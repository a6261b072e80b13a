import type { Context } from 'hono'
import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import type { PanelName } from '../contract/sessions.ts'
import type { Answer } from '../runtime/run.ts'
import { recall } from '../shared/recall.ts'
import type { Origin } from '../shared/say.ts'
import type { Answered, Screen, SessionView } from './kit/screen.ts'

// biome-ignore lint/suspicious/noExplicitAny: the environment is the server's affair
export type C = Context<any>

/** What an operation is run with. */
export interface Input {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly csrf?: string | undefined
  readonly key?: string | undefined
  /** All that is read of each item of a list. */
  readonly fields?: readonly string[] | undefined
  /** In place of the browser's own headers; nothing where it must not have one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** The body of an operation that takes bytes. */
  readonly bytes?: AsyncIterable<Buffer>
}

/** How screens reach operations: the same run() as every other caller. */
export interface Screens {
  readonly server: string
  /** Where files may lie that belong to the server alone. */
  readonly dir: string
  /** On every screen, beside its own content policy. */
  readonly headers: Readonly<Record<string, string>>
  /** Where the API is for others, and what proves it. */
  readonly origin: Origin
  /** What areas declare. */
  declared(): Promise<readonly Screen[]>
  now(): number
  id(): string
  /** Whether the license has expired. */
  isLapsed(): boolean
  /** Waits so many milliseconds; false where there is nothing to wait for any more. */
  wait(ms: number, stop: AbortSignal): Promise<boolean>
  /** The fields that a form sent. Throws a Problem where the body is not a form, or too large. `judge` may refuse a long one by how it begins. */
  form(c: C, panel: PanelName, room?: 'zone', judge?: (head: URLSearchParams) => void): Promise<URLSearchParams>
  /** The bytes of a form with a file, as they come. */
  parts(c: C): AsyncIterable<Buffer>
  /** Runs an operation as the caller. Throws a Problem. */
  perform(c: C, id: OperationId, input?: Input): Promise<Answer>
}

/** A request of one panel, and whose it is. */
export interface Served {
  readonly screens: Screens
  readonly c: C
  readonly panel: PanelName
  readonly url: URL
  readonly session: SessionView
}

export const json = (answer: Answer): Answered => JSON.parse(answer.json?.toString() ?? 'null')

/** The object of an answer as far as it can stand in an address: it may hold another by the name of one named there. */
export function objectIn(op: OperationId, data: Answered): Answered {
  const { cli }: Declaration = operations[op]
  const object: object = (cli?.show && data?.[cli.show]) || data || {}
  return Object.fromEntries(Object.entries(object).filter(([, value]) => typeof value !== 'object'))
}

const sessionOf = { admin: 'getSession', user: 'getUserSession' } as const

export async function serve(screens: Screens, c: C, panel: PanelName, input?: Input): Promise<Served> {
  const session = json(await screens.perform(c, sessionOf[panel], input))
  return { screens, c, panel, url: new URL(c.req.url), session }
}

const answered = new WeakMap<Served, Map<string, Promise<Answered>>>()

/**
 * Reads as the user signed in to this panel; other sessions of the browser do not count. What a page asks for twice is
 * read once; a form may change it in between.
 */
export function read(served: Served, id: OperationId, input: Input = {}): Promise<Answered> {
  if (served.c.req.raw.method !== 'GET' || operations[id].method !== 'get') return readAnew(served, id, input)
  const own = answered.get(served) ?? new Map<string, Promise<Answered>>()
  answered.set(served, own)
  return recall(own, JSON.stringify([id, input]), () => readAnew(served, id, input))
}

export const readAnew = async (served: Served, id: OperationId, input: Input): Promise<Answered> =>
  json(await run(served, id, input))

/** Runs an operation as the user signed in to this panel. */
export const run = ({ screens, c, session }: Served, id: OperationId, input: Input): Promise<Answer> =>
  screens.perform(c, id, { ...input, csrf: session.csrf_token })
