import type { Context } from 'hono'
import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import type { PanelName } from '../contract/sessions.ts'
import type { Turn } from '../runtime/jobs/shares.ts'
import type { Answer } from '../runtime/operations/run.ts'
import type { Origin } from '../shared/command-line.ts'
import { memoize } from '../shared/memoize.ts'
import type { Answered, Screen, SessionView } from './kit/screen.ts'

// biome-ignore lint/suspicious/noExplicitAny: the environment is the server's affair
export type C = Context<any>

/** An operation's input. */
export interface Input {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly csrf?: string | undefined
  readonly key?: string | undefined
  /** Limits what is read of each list item. */
  readonly fields?: readonly string[] | undefined
  /** Override the browser's headers; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** The body, for operations that take bytes. */
  readonly bytes?: AsyncIterable<Buffer>
}

/** Something between an AI agent and the person it acts for. */
export interface AgentTicketView {
  readonly id: string
  /** The name that the client claims. */
  readonly client: string | undefined
  readonly sentence: string
  readonly decision?: 'approved' | 'declined'
  readonly secrets?: readonly { readonly name: string; readonly value: string }[]
}

/** A client that a person may connect, as it describes itself. */
export interface AgentClientView {
  readonly id: string
  readonly name: string
  readonly redirect_uris: readonly string[]
}

/** What connects the clients of AI agents by OAuth. */
export interface AgentClients {
  readonly issuer: string
  /** The only resource that grants are for. */
  readonly resource: string
  readonly scopes: readonly string[]
  registered(id: string): AgentClientView | undefined
  /** Fetches the client's metadata document if its id is an address: for people alone who are signed in. */
  find(id: string): Promise<AgentClientView | undefined>
  /** Makes a token the client's, and returns the code to exchange for it. */
  grant(grant: {
    readonly token: string
    readonly client: AgentClientView
    readonly redirect_uri: string
    readonly challenge: string
    readonly resource: string
  }): Promise<string>
}

/** How screens call operations: through the same run() as every other caller. */
export interface Screens {
  readonly server: string
  /** A directory for files that only the server may read. */
  readonly dir: string
  /** Sent with every screen, beside its content policy. */
  readonly headers: Readonly<Record<string, string>>
  /** The API's public origin, and what proves it. */
  readonly origin: Origin
  /** The screens that areas declare. */
  declared(): Promise<readonly Screen[]>
  now(): number
  id(): string
  /** Whether certificates can be issued here. */
  hasAuthority(): boolean
  /** Whether the license has expired. */
  isLapsed(): boolean
  /** Whose share an account's open requests count towards. */
  turnOf(account: string): Turn
  /** Waits that many milliseconds; returns false if interrupted. */
  wait(ms: number, stop: AbortSignal): Promise<boolean>
  /** A form's fields. Throws a Problem if invalid or too large. `judge` may refuse a long one by its beginning. */
  form(c: C, panel: PanelName, room?: 'zone', validate?: (head: URLSearchParams) => void): Promise<URLSearchParams>
  /** The bytes of a form with a file, streamed. */
  parts(c: C): AsyncIterable<Buffer>
  /** A ticket of the person signed in to this panel. */
  ticket(c: C, panel: PanelName, id: string, kind: 'approve' | 'reveal'): AgentTicketView | undefined
  decide(ticket: string, decision: 'approved' | 'declined'): void
  forget(ticket: string): void
  readonly agents: AgentClients
  /** Runs an operation as the caller; throws a Problem. */
  perform(c: C, id: OperationId, input?: Input): Promise<Answer>
}

/** A request to one panel, with its session. */
export interface PanelRequest {
  readonly screens: Screens
  readonly c: C
  readonly panel: PanelName
  readonly url: URL
  readonly session: SessionView
}

export const json = (answer: Answer): Answered => JSON.parse(answer.json?.toString() ?? 'null')

/** The scalar fields of an answer's object, for addresses: a nested object may share its name with one of them. */
export function objectIn(op: OperationId, data: Answered): Answered {
  const { cli }: Declaration = operations[op]
  const object: object = (cli?.show && data?.[cli.show]) || data || {}
  return Object.fromEntries(Object.entries(object).filter(([, value]) => typeof value !== 'object'))
}

const sessionOf = { admin: 'getSession', user: 'getUserSession' } as const

export async function serve(screens: Screens, c: C, panel: PanelName, input?: Input): Promise<PanelRequest> {
  const session = json(await screens.perform(c, sessionOf[panel], input))
  return { screens, c, panel, url: new URL(c.req.url), session }
}

const answered = new WeakMap<PanelRequest, Map<string, Promise<Answered>>>()

/**
 * Reads as the user signed in to this panel; the browser's other sessions do not count. A page's repeated reads are
 * cached, except for forms, which may change the data in between.
 */
export function read(request: PanelRequest, id: OperationId, input: Input = {}): Promise<Answered> {
  if (request.c.req.raw.method !== 'GET' || operations[id].method !== 'get') return readAnew(request, id, input)
  const own = answered.get(request) ?? new Map<string, Promise<Answered>>()
  answered.set(request, own)
  return memoize(own, JSON.stringify([id, input]), () => readAnew(request, id, input))
}

export const readAnew = async (request: PanelRequest, id: OperationId, input: Input): Promise<Answered> =>
  json(await run(request, id, input))

/** Runs an operation as the user signed in to this panel. */
export const run = ({ screens, c, session }: PanelRequest, id: OperationId, input: Input): Promise<Answer> =>
  screens.perform(c, id, { ...input, csrf: session.csrf_token })
