import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { Problem, problems } from '../contract/problem.ts'
import { seen } from '../shared/say/quote.ts'
import { type Around, readIfAllowed } from './around.ts'
import { contentOf } from './content.ts'
import { csrfFor } from './csrf.ts'
import { fieldsFor, hasFields, membersFor, type Typed, typedInto } from './forms.ts'
import { actLabel, actsOf } from './kit/acts.ts'
import { hrefTo, queryOf, type Values } from './kit/href.ts'
import { mostRows } from './kit/pager.tsx'
import type { Answered, Ask, Done, FormModel, FormOptions, Refusal, Screen, Visit } from './kit/screen.ts'
import { cursorIn } from './kit/since.ts'
import type { SiteMap } from './map.ts'
import { idsOf, namedFor, paramsOf } from './names.ts'
import { partAsked } from './part.tsx'
import type { Place } from './place.ts'
import { mayRun, refusalToRun } from './rights.ts'
import { type Input, read, type Served } from './served.ts'

/** A page's request as far as it is known before its view is made. */
export interface Looking {
  readonly served: Served
  readonly place: Place
  readonly around: Around
  readonly ids: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly map: SiteMap
}

export async function lookAt(served: Served, map: SiteMap, place: Place, around: Around): Promise<Looking> {
  const ids = await idsOf(served, place.names, around.accountId)
  return { served, map, place, around, ids, query: served.url.searchParams }
}

/** The parameters of an operation: what the address names, and the item that a form is about. */
export const paramsFor = ({ place, ids, around }: Looking, op: OperationId, item?: string) =>
  paramsOf(op, namedFor(place.screen, op, Object.values(ids), item), around.accountId)

export const refusalOf = ({ code, status, detail, fields = {} }: Problem): Refusal => ({
  code,
  status,
  title: problems[code].title,
  detail: detail && seen(detail),
  fields: Object.fromEntries(Object.entries(fields).map(([name, fault]) => [name, seen(fault)])),
})

const reads = (id: OperationId): boolean => operations[id].method === 'get'

/** What was done before a page is shown: or refused, and then shown with what was typed. */
interface Past {
  readonly done?: Done | undefined
  readonly refusal?: Refusal | undefined
  readonly typed?: Typed | undefined
}

/** Everything a view is given. */
export async function visitOf(looking: Looking, past: Past = {}): Promise<Visit> {
  const { served, place, around, query } = looking
  const { screen } = place
  const data = await shownOf(looking)
  const also = await readAlso(looking, screen, { data, typed: past.typed?.form })
  const may = (op: OperationId): boolean => mayRun(op, served.session, around.features)
  const members = await membersFor(
    served,
    actsOf(screen).filter((op) => may(op) && isShown(screen, op, past.typed)),
    around.accountId,
  )
  const posts = { action: pathOf(served) + queryOf(pathInQuery(served)), csrf: csrfFor(served.session) }
  const asked = (op: OperationId, options: FormOptions) => ({ ...narrowed(screen, op, data), ...options })
  const form = (op: OperationId, options: FormOptions = {}): FormModel | undefined =>
    may(op)
      ? {
          ...posts,
          op,
          item: options.item,
          key: takesKey(op) ? served.screens.id() : undefined,
          label: options.label ?? actLabel(screen, op),
          refusal: typedInto(past.typed, op, options.item) && past.refusal,
          fields: fieldsFor(op, asked(op, options), members, past.typed, past.refusal).filter(
            ({ name }) => served.session.is_root || !screen.acts?.[op]?.ofRoot?.includes(name),
          ),
        }
      : undefined
  return {
    screen,
    panel: served.panel,
    base: place.base,
    path: pathOf(served),
    query,
    names: place.names,
    session: served.session,
    account: around.account,
    data,
    also,
    now: served.screens.now(),
    done: past.done,
    refusal: past.typed && isButton(screen, past.typed.op) ? past.refusal : undefined,
    typed: past.typed?.form,
    posts,
    may,
    has: (path) => looking.map.has(path, place.of),
    href: (pattern, values, asked) => hrefTo(place.base, pattern, values as Values, asked as Values, place.names),
    download: (op) => downloadOf(looking, op),
    form,
  }
}

function shownOf(looking: Looking): Promise<Answered> {
  const { screen } = looking.place
  if (!reads(screen.shows)) return emptyForm(looking)
  const { raw }: Declaration = operations[screen.shows]
  const ask = askOf(looking, screen.shows, screen.query, true)
  return (raw === 'answer' ? contentOf : read)(looking.served, screen.shows, { ...ask, fields: screen.fields })
}

/** The page of a change shows nothing yet, and that only to those who may run it. */
async function emptyForm({ place, served, around }: Looking): Promise<Answered> {
  const refusal = refusalToRun(place.screen.shows, served.session, around.features)
  if (refusal) throw refusal
  return {}
}

/** What has no form on its page, where what is wrong with it could stand. */
const isButton = ({ acts }: Screen, op: OperationId): boolean => !hasFields(op) || acts?.[op]?.many === true

/** The API answers a browser's session too: what it sends is saved, never shown. */
const downloadOf = (looking: Looking, op: OperationId): string =>
  `/api/v1${hrefTo('', operations[op].path, paramsFor(looking, op))}`

/** What is done to many rows has its form on the page that asks first. */
const isShown = ({ acts }: Screen, op: OperationId, typed: Typed | undefined): boolean =>
  !acts?.[op]?.many || typed?.op === op

export const pathOf = ({ url }: Served): string => url.pathname

const narrowed = ({ acts }: Screen, op: OperationId, data: Answered) => {
  const fields = acts?.[op]?.only
  return fields ? { only: typeof fields === 'function' ? fields(data) : fields } : {}
}

/** Whether a double press can be told from two. */
export const takesKey = (op: OperationId): boolean => {
  const { method, secret }: Declaration = operations[op]
  return method === 'post' && !secret
}

/** For a path that is not UTF-8 the address carries the bytes. */
export const pathInQuery = ({ c }: Served): Readonly<Record<string, string>> => {
  const bytes = c.req.query('path_bytes')
  return bytes === undefined ? {} : { path_bytes: bytes }
}

/** What an operation of the page is asked: its path by what the address names, its query by what the address says. */
export function askOf(looking: Looking, id: OperationId, fixed: Screen['query'], own = false) {
  const { ids, query } = looking
  const op: Declaration = operations[id]
  const inBytes = own && query.has('path_bytes')
  const fills = Object.entries(fixed ?? {}).filter(([name]) => !(inBytes && name === 'path'))
  const filled = Object.fromEntries(fills.map(([name, value]) => [name, fill(value, ids)]))
  const asks = own && { ...asksOf(looking), ...sinceIn(looking, op) }
  const all = { ...newestFirst(op), ...(own && askedIn(op, query)), ...filled, ...asks }
  const asked = Object.entries(all).filter(([, value]) => value !== '')
  return { params: paramsFor(looking, id), query: Object.fromEntries(asked) }
}

/** What the page makes of its address. */
const asksOf = ({ place, served, query }: Looking): Readonly<Record<string, string>> =>
  place.screen.asks?.(query, served.screens.now()) ?? {}

const mostLines = '500'

/** Who follows a page asks for the lines that have come since. */
function sinceIn({ served, place, query }: Looking, { query: shape }: Declaration): Readonly<Record<string, string>> {
  const { since } = place.screen
  const cursor = cursorIn(query)
  if (since === undefined || cursor === undefined || partAsked(served.c) !== 'live') return {}
  return { [since]: cursor, ...(shape && 'limit' in shape.shape && { limit: mostLines }) }
}

const fill = (value: string, ids: Readonly<Record<string, string>>): string =>
  value.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')

const newestFirst = ({ cli, query }: Declaration): Record<string, string> =>
  cli?.newest && query && 'order' in query.shape ? { order: 'desc' } : {}

/** What the address says of the list: only what its operation takes, and no page longer than can be drawn at once. */
function askedIn({ query: shape }: Declaration, query: URLSearchParams): Record<string, string> {
  const taken = [...query].filter(([name, value]) => value !== '' && shape && name in shape.shape && name !== 'wait')
  const all = Object.fromEntries(taken)
  return Number(all['per_page']) > mostRows ? { ...all, per_page: String(mostRows) } : all
}

/** What a form has sent, and the page that it was sent to. */
interface Filled {
  readonly data: Answered
  readonly typed: URLSearchParams | undefined
}

async function readAlso(looking: Looking, { also = {} }: Screen, filled: Filled): Promise<Record<string, Answered>> {
  const answers: Record<string, Answered> = {}
  for (const [name, ask] of Object.entries(also)) answers[name] = await readPart(looking, ask, filled)
  return answers
}

function readPart(looking: Looking, ask: Ask, filled: Filled): Promise<Answered | undefined> {
  if (ask.each) return readEach(looking, ask, filled)
  return ask.sends ? readSent(looking, ask, filled) : readOne(looking, ask, filled.data)
}

async function readSent(looking: Looking, ask: Ask, { typed }: Filled): Promise<Answered | undefined> {
  if (!typed || !ask.sends) return undefined
  const asked = { params: paramsFor(looking, ask.run), body: { ...ask.sends(typed) } }
  try {
    return await readIfThere(looking.served, ask.run, asked)
  } catch (error) {
    if (error instanceof Problem && error.status < 500)
      return { refused: seen(Object.values(error.fields ?? {})[0] ?? error.message) }
    throw error
  }
}

async function readEach(looking: Looking, ask: Ask, { data, typed }: Filled): Promise<Answered[]> {
  const answers: Answered[] = []
  const items = typed ? (ask.each?.(typed, data) ?? []) : []
  for (const item of items.slice(0, mostRows))
    answers.push(await readIfThere(looking.served, ask.run, { params: paramsFor(looking, ask.run, item) }))
  return answers.filter((answer) => answer !== undefined)
}

/** What does not exist, such as an autoresponder not yet written, is left out. */
export async function readIfThere(served: Served, id: OperationId, ask: Input) {
  try {
    return await readIfAllowed(served, id, ask)
  } catch (error) {
    if (error instanceof Problem && error.code === 'not-found') return undefined
    throw error
  }
}

async function readOne(looking: Looking, ask: Ask, data: Answered): Promise<Answered | undefined> {
  const { served, around } = looking
  if (!mayRun(ask.run, served.session)) return undefined
  const fixed = typeof ask.query === 'function' ? ask.query(data) : ask.query
  const asks = { ...fixed, ...ask.asks?.(looking.query, served.screens.now()) }
  const asked = { ...askOf(looking, ask.run, asks), fields: ask.fields }
  if (!ask.of) return readIfThere(served, ask.run, asked)
  const id = ask.of(data)
  const params = paramsOf(ask.run, [id ?? ''], around.accountId)
  return id === undefined ? undefined : readIfThere(served, ask.run, { ...asked, params })
}
