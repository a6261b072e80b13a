import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { type Problem, problems } from '../contract/problem.ts'
import { seen } from '../shared/say/quote.ts'
import { readAlso } from './also.ts'
import { contentOf } from './content.ts'
import { csrfFor } from './csrf.ts'
import { fieldsFor, hasFields, type Members, membersFor, type Typed, typedInto } from './forms.ts'
import { actLabel, actsOf } from './kit/acts.ts'
import { hrefTo, queryOf, type Values } from './kit/href.ts'
import type { Answered, Done, FormModel, FormOptions, Refusal, Screen, Visit } from './kit/screen.ts'
import { askOfPage, type Looking, paramsFor, pathInQuery, pathOf } from './looking.ts'
import { mayRun, refusalToRun } from './rights.ts'
import { read, type Served } from './served.ts'

export const refusalOf = ({ code, status, detail, fields = {} }: Problem): Refusal => ({
  code,
  status,
  title: problems[code].title,
  detail: detail && seen(detail),
  fields: Object.fromEntries(Object.entries(fields).map(([name, fault]) => [name, seen(fault)])),
})

const reads = (id: OperationId): boolean => operations[id].method === 'get'

/** What happened before a page is shown; after a refusal, with what was typed. */
interface Past {
  readonly done?: Done | undefined
  readonly refusal?: Refusal | undefined
  readonly typed?: Typed | undefined
}

/** A view's input. */
export async function visitOf(looking: Looking, past: Past = {}): Promise<Visit> {
  const { served, place, around, query } = looking
  const { screen } = place
  const data = await shownOf(looking)
  const also = await readAlso(looking, { data, typed: past.typed?.form })
  const may = (op: OperationId): boolean => mayRun(op, served.session, around.features)
  const shown = actsOf(screen).filter((op) => may(op) && isShown(screen, op, past.typed))
  const members = await membersFor(served, shown, around.accountId)
  const filled = { ...past, data, members }
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
    posts: postsOf(served),
    may,
    has: (path) => looking.map.has(path, place.of),
    href: (pattern, values, asked) => hrefTo(place.base, pattern, values as Values, asked as Values, place.names),
    download: (op) => downloadOf(looking, op),
    form: (op, options = {}) => (may(op) ? formOf(looking, filled, op, options) : undefined),
  }
}

const postsOf = (served: Served): Visit['posts'] => ({
  action: pathOf(served) + queryOf(pathInQuery(served)),
  csrf: csrfFor(served.session),
})

interface Filled extends Past {
  readonly data: Answered
  readonly members: Members
}

function formOf({ served, place }: Looking, filled: Filled, op: OperationId, options: FormOptions): FormModel {
  const { data, members, typed, refusal } = filled
  const { only, ofRoot = [] } = place.screen.acts?.[op] ?? {}
  const narrowed = only && { only: typeof only === 'function' ? only(data) : only }
  const fields = fieldsFor(op, { ...narrowed, ...options }, members, typed, refusal)
  return {
    ...postsOf(served),
    op,
    item: options.item,
    key: takesKey(op) ? served.screens.id() : undefined,
    label: options.label ?? actLabel(place.screen, op),
    fields: fields.filter(({ name }) => served.session.is_root || !ofRoot.includes(name)),
    refusal: typedInto(typed, op, options.item) && refusal,
  }
}

function shownOf(looking: Looking): Promise<Answered> {
  const { screen } = looking.place
  if (!reads(screen.shows)) return emptyForm(looking)
  const { raw }: Declaration = operations[screen.shows]
  const ask = { ...askOfPage(looking), fields: screen.fields }
  return (raw === 'answer' ? contentOf : read)(looking.served, screen.shows, ask)
}

/** The page for a change has no data yet; it is shown only to those who may run it. */
async function emptyForm({ place, served, around }: Looking): Promise<Answered> {
  const refusal = refusalToRun(place.screen.shows, served.session, around.features)
  if (refusal) throw refusal
  return {}
}

/** Buttons have no form of their own on the page that could show the error. */
const isButton = ({ acts }: Screen, op: OperationId): boolean => !hasFields(op) || acts?.[op]?.many === true

/** The API accepts a browser's session too; it sends downloads as files to save, never to display. */
const downloadOf = (looking: Looking, op: OperationId): string =>
  `/api/v1${hrefTo('', operations[op].path, paramsFor(looking, op))}`

/** A bulk change has its form only on the page that asks for confirmation. */
const isShown = ({ acts }: Screen, op: OperationId, typed: Typed | undefined): boolean =>
  !acts?.[op]?.many || typed?.op === op

/** Whether an idempotency key can tell a double press from two presses. */
export const takesKey = (op: OperationId): boolean => {
  const { method, secret }: Declaration = operations[op]
  return method === 'post' && !secret
}
