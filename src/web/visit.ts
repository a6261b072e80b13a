import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { Problem, problems } from '../contract/problem.ts'
import { type Around, readIfAllowed } from './around.ts'
import { contentOf } from './content.ts'
import { maskToken } from './csrf.ts'
import { actsOf, fieldsFor, hasFields, membersFor, type Typed } from './forms.ts'
import { hrefTo } from './kit/href.ts'
import type { Answered, Ask, Done, FormModel, FormOptions, Refusal, Screen, Visit } from './kit/screen.ts'
import type { SiteMap } from './map.ts'
import { idsOf, paramsOf } from './names.ts'
import type { Place } from './place.ts'
import { mayRun, refusalToRun } from './rights.ts'
import { read, type Served } from './served.ts'

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
  return { served, map, place, around, ids, query: new URL(served.c.req.url).searchParams }
}

export const refusalOf = ({ code, status, detail, fields = {} }: Problem): Refusal => ({
  code,
  status,
  title: problems[code].title,
  detail,
  fields,
})

const reads = (id: OperationId): boolean => operations[id].method === 'get'

/** Everything a view is given. What was refused before is shown with what was typed. */
export async function visitOf(
  looking: Looking,
  past: { done?: Done; refusal?: Refusal; typed?: Typed } = {},
): Promise<Visit> {
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
  const form = (op: OperationId, options: FormOptions = {}): FormModel | undefined =>
    may(op)
      ? {
          ...formOf(looking, op, options),
          fields: fieldsFor(op, { ...only(screen, op), ...options }, members, past.typed, past.refusal).filter(
            ({ name }) => served.session.is_root || !screen.acts?.[op]?.ofRoot?.includes(name),
          ),
          ...refusalFor(op, options, past),
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
    may,
    has: (path) => looking.map.has(path, place.of),
    href: (pattern, values, asked) =>
      hrefTo(place.base, pattern, { ...place.names, ...values }, asked as Record<string, unknown>),
    download: (op) => downloadOf(looking, op),
    form,
  }
}

function shownOf(looking: Looking): Promise<Answered> {
  const { screen } = looking.place
  if (!reads(screen.shows)) return emptyForm(looking)
  const { raw }: Declaration = operations[screen.shows]
  const ask = askOf(looking, screen.shows, screen.query, true)
  return (raw === 'answer' ? contentOf : read)(looking.served, screen.shows, ask)
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
function downloadOf({ ids, around }: Looking, op: OperationId): string {
  const params = paramsOf(op, Object.values(ids), around.accountId)
  return `/api/v1${hrefTo('', operations[op].path, params)}`
}

/** What is done to many rows has its form on the page that asks first. */
const isShown = ({ acts }: Screen, op: OperationId, typed: Typed | undefined): boolean =>
  !acts?.[op]?.many || typed?.op === op

export const pathOf = ({ c }: Served): string => new URL(c.req.url).pathname

const only = ({ acts }: Screen, op: OperationId) => {
  const fields = acts?.[op]?.only
  return fields ? { only: fields } : {}
}

function formOf({ served, place }: Looking, op: OperationId, { item, label }: FormOptions): Omit<FormModel, 'fields'> {
  const screenLabel = place.screen.acts?.[op]?.label
  const { secret, method, summary }: Declaration = operations[op]
  const { session, screens } = served
  return {
    op,
    action: hrefTo(pathOf(served), '', {}, pathInQuery(served)),
    csrf: maskToken(session.csrf_token ?? ''),
    label: label ?? screenLabel ?? summary,
    ...(item !== undefined && { item }),
    ...(method === 'post' && !secret && { key: screens.id() }),
  }
}

function refusalFor(op: OperationId, { item }: FormOptions, { refusal, typed }: { refusal?: Refusal; typed?: Typed }) {
  const isOwn = typed?.op === op && (typed.form.get('_item') ?? undefined) === item
  return isOwn && refusal ? { refusal } : {}
}

/** Of a path that is no text the address says the bytes. */
export const pathInQuery = ({ c }: Served): Readonly<Record<string, string>> => {
  const bytes = c.req.query('path_bytes')
  return bytes === undefined ? {} : { path_bytes: bytes }
}

/** What an operation of the page is asked: its path by what the address names, its query by what the address says. */
export function askOf(looking: Looking, id: OperationId, fixed: Screen['query'], own = false) {
  const { ids, around, query } = looking
  const op: Declaration = operations[id]
  const params = paramsOf(id, Object.values(ids), around.accountId)
  const inBytes = own && query.has('path_bytes')
  const fills = Object.entries(fixed ?? {}).filter(([name]) => !(inBytes && name === 'path'))
  const filled = Object.fromEntries(fills.map(([name, value]) => [name, fill(value, ids)]))
  const all = { ...newestFirst(op), ...(own && asked(op, query)), ...filled, ...(own && asksOf(looking)) }
  return { params, query: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')) }
}

/** What the page makes of its address. */
const asksOf = ({ place, served, query }: Looking): Readonly<Record<string, string>> =>
  place.screen.asks?.(query, served.screens.now()) ?? {}

const fill = (value: string, ids: Readonly<Record<string, string>>): string =>
  value.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')

const newestFirst = ({ cli, query }: Declaration): Record<string, string> =>
  cli?.newest && query && 'order' in query.shape ? { order: 'desc' } : {}

const mostRows = 200

/** What the address says of the list: only what its operation takes, and no page longer than can be drawn at once. */
function asked({ query: shape }: Declaration, query: URLSearchParams): Record<string, string> {
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
  for (const [name, ask] of Object.entries(also))
    answers[name] = ask.each ? await readEach(looking, ask, filled) : await readOne(looking, ask)
  return answers
}

async function readEach({ served, ids, around }: Looking, ask: Ask, { data, typed }: Filled): Promise<Answered[]> {
  const answers: Answered[] = []
  for (const item of typed ? (ask.each?.(typed, data) ?? []) : [])
    answers.push(
      await readIfThere(served, ask.run, {
        params: paramsOf(ask.run, [...Object.values(ids), item], around.accountId),
      }),
    )
  return answers.filter((answer) => answer !== undefined)
}

/** What is not there, as an autoresponder that nobody wrote, is left out. */
export async function readIfThere(served: Served, id: OperationId, ask: Parameters<typeof read>[2]) {
  try {
    return await readIfAllowed(served, id, ask ?? {})
  } catch (error) {
    if (error instanceof Problem && error.code === 'not-found') return undefined
    throw error
  }
}

async function readOne(looking: Looking, ask: Ask): Promise<Answered | undefined> {
  if (!mayRun(ask.run, looking.served.session)) return undefined
  return readIfThere(looking.served, ask.run, askOf(looking, ask.run, ask.query))
}
