import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { type Problem, problems } from '../../contract/problem.ts'
import { seen } from '../../shared/command-line/quote.ts'
import { fieldsFor, hasFields, type Members, membersFor, type TypedForm, typedInto } from '../forms/operation-form.ts'
import { csrfFor } from '../http/csrf.ts'
import { contentOf } from '../http/raw-content.ts'
import { actionLabel, actionsOf } from '../kit/actions.ts'
import { hrefTo, queryOf, type Values } from '../kit/format/href.ts'
import { withBoxes } from '../kit/forms/boxes.ts'
import type { FormField } from '../kit/forms/field.ts'
import type { Answered, Done, FormModel, FormOptions, FormRefusal, Screen, ViewContext } from '../kit/screen.ts'
import { type PanelRequest, read } from '../panel-request.ts'
import { readSections } from './extra-reads.ts'
import { pagesAbove } from './match-page.ts'
import { askOfPage, type PageRequest, paramsFor, pathInQuery, pathOf } from './page-request.ts'
import { mayRun, refusalToRun } from './permissions.ts'

export const refusalOf = ({ code, status, detail, fields = {} }: Problem): FormRefusal => ({
  code,
  status,
  title: problems[code].title,
  detail: detail && seen(detail),
  fields: Object.fromEntries(Object.entries(fields).map(([name, error]) => [name, seen(error)])),
})

const reads = (id: OperationId): boolean => operations[id].method === 'get'

/** What happened before a page is shown; after a refusal, with what was typed. */
interface Previous {
  readonly done?: Done | undefined
  readonly refusal?: FormRefusal | undefined
  readonly typed?: TypedForm | undefined
}

/** A view's input. */
export async function viewContextOf(page: PageRequest, previous: Previous = {}): Promise<ViewContext> {
  const { request, match, context, query } = page
  const { screen } = match
  const data = await readData(page)
  const sections = await readSections(page, { data, typed: previous.typed?.form })
  const may = (op: OperationId): boolean => mayRun(op, request.session, context.features)
  const visibleActions = actionsOf(screen).filter((op) => may(op) && isVisible(screen, op, previous.typed))
  const members = await membersFor(request, visibleActions, context.accountId)
  const filled = { ...previous, data, members }
  return {
    screen,
    panel: request.panel,
    base: match.base,
    path: pathOf(request),
    query,
    names: match.names,
    session: request.session,
    account: context.account,
    data,
    sections,
    now: request.screens.now(),
    done: previous.done,
    refusal: previous.typed && isButton(screen, previous.typed.op) ? previous.refusal : undefined,
    typed: previous.typed?.form,
    posts: postsOf(request),
    may,
    hasAuthority: request.screens.hasAuthority(),
    has: (path) => page.map.has(path, match.of),
    parent: parentOf(page),
    href: (pattern, values, requested) =>
      hrefTo(match.base, pattern, values as Values, requested as Values, match.names),
    download: (op) => downloadOf(page, op),
    form: (op, options = {}) => (may(op) ? formOf(page, filled, op, options) : undefined),
  }
}

/** The nearest page above that the session may see, or the home. */
function parentOf({ map, match, request, context }: PageRequest): string {
  const visible = pagesAbove(map, request.panel, match).findLast(({ screen }) =>
    mayRun(screen.shows, request.session, context.features),
  )
  return visible?.href ?? hrefTo(match.base, '/')
}

const postsOf = (request: PanelRequest): ViewContext['posts'] => ({
  action: pathOf(request) + queryOf(pathInQuery(request)),
  csrf: csrfFor(request.session),
})

interface FormContext extends Previous {
  readonly data: Answered
  readonly members: Members
}

function formOf(
  { request, match }: PageRequest,
  filled: FormContext,
  op: OperationId,
  options: FormOptions,
): FormModel {
  const { data, members, typed, refusal } = filled
  const { only, ofRoot = [], omits = [], primary, suggests } = match.screen.acts?.[op] ?? {}
  const first = typeof primary === 'function' ? primary(typed?.form) : primary
  const narrowed = only && { only: typeof only === 'function' ? only(data) : only }
  const fields = fieldsFor(op, { ...narrowed, ...options }, members, typed, refusal)
  return {
    ...postsOf(request),
    op,
    item: options.item,
    key: takesKey(op) ? request.screens.id() : undefined,
    label: options.label ?? actionLabel(match.screen, op),
    fields: fields
      .filter(({ name }) => request.session.is_root || !ofRoot.includes(name))
      .filter(({ name }) => !omits.includes(name))
      .map((field) => withBoxes(field, suggests?.[field.name]))
      .map((field) => (isPrimary(field, first) ? { ...field, primary: true as const } : field)),
    refusal: typedInto(typed, op, options.item) && refusal,
  }
}

/** In the order of the form; a field with an error is always in sight. */
const isPrimary = ({ name, required, error }: FormField, primary: readonly string[] | undefined): boolean =>
  primary === undefined || required === true || error !== undefined || primary.includes(name)

function readData(page: PageRequest): Promise<Answered> {
  const { screen } = page.match
  if (!reads(screen.shows)) return emptyForm(page)
  const { raw }: Declaration = operations[screen.shows]
  const ask = { ...askOfPage(page), fields: screen.fields }
  return (raw === 'answer' ? contentOf : read)(page.request, screen.shows, ask)
}

/** The page for a change has no data yet; it is shown only to those who may run it. */
async function emptyForm({ match, request, context }: PageRequest): Promise<Answered> {
  const refusal = refusalToRun(match.screen.shows, request.session, context.features)
  if (refusal) throw refusal
  return {}
}

/** Buttons have no form of their own on the page that could show the error. */
const isButton = ({ acts }: Screen, op: OperationId): boolean => {
  const { many, only, followsLink } = acts?.[op] ?? {}
  return !hasFields(op) || many === true || (followsLink === true && Array.isArray(only) && only.length === 0)
}

/** The API accepts a browser's session too; it sends downloads as files to save, never to display. */
const downloadOf = (page: PageRequest, op: OperationId): string =>
  `/api/v1${hrefTo('', operations[op].path, paramsFor(page, op))}`

/** A bulk change has its form only on the page that asks for confirmation. */
const isVisible = ({ acts }: Screen, op: OperationId, typed: TypedForm | undefined): boolean =>
  !acts?.[op]?.many || typed?.op === op

/** Whether an idempotency key can tell a double press from two presses. */
export const takesKey = (op: OperationId): boolean => {
  const { method, secret }: Declaration = operations[op]
  return method === 'post' && !secret
}
