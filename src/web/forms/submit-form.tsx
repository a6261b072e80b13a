import { Readable } from 'node:stream'
import { isId } from '../../contract/common.ts'
import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { invalid, notFound, Problem } from '../../contract/problem.ts'
import type { Answer } from '../../runtime/operations/run.ts'
import { commandHintOf } from '../command-bar/command-bar.tsx'
import { refuseForeign, unmaskToken } from '../http/csrf.ts'
import { html, NO_CACHE, redirect } from '../http/responses.ts'
import { actionsOf, asksFirst } from '../kit/actions.ts'
import { hrefTo, isMisread, queryOf } from '../kit/format/href.ts'
import { ownSignIn } from '../kit/forms/own-sign-in.ts'
import { credentialIn } from '../kit/forms/passkey.tsx'
import { t } from '../kit/i18n/i18n.ts'
import { lookupOwn } from '../kit/lookup.ts'
import type { Action, Answered, FormModel, Screen, SessionView } from '../kit/screen.ts'
import { renderView } from '../pages/default-view.ts'
import { matchPage, type PageMatch } from '../pages/match-page.ts'
import { type PageRequest, paramsFor, pathInQuery, pathOf } from '../pages/page-request.ts'
import type { Pages } from '../pages/pages.tsx'
import { mayRun } from '../pages/permissions.ts'
import { refusalOf, takesKey, viewContextOf } from '../pages/view-context.ts'
import { type C, json, objectIn, type PanelRequest, readAnew, run, serve } from '../panel-request.ts'
import { PasswordAgain } from '../sign-in/password-again.tsx'
import { SessionEnded } from '../sign-in/session-ended.tsx'
import { confirmOf, unconfirmed } from '../sign-in/sign-in.tsx'
import { bulkPage, type Item, itemsIn } from './bulk-action.tsx'
import { confirmation, nameToType } from './confirmation.tsx'
import { OneTimeLink, OneTimeSecrets, oneTimeSecretsIn } from './one-time-secrets.tsx'
import { inputOf, itemIn, type TypedForm, withUnknownNames } from './operation-form.ts'
import { hiddenFields } from './preserved-fields.ts'
import { packUndo, undoNotice } from './undo.ts'

/** A submitted form, and the page it was sent to. */
export interface Submission {
  readonly pages: Pages
  readonly request: PanelRequest
  readonly match: PageMatch
  readonly op: OperationId
  readonly act: Action
  readonly form: URLSearchParams
  /** It included a file, which its command would not mention. */
  readonly hasFile?: boolean
}

/** Runs the form's operation and redirects; or shows the form again with its errors. */
export async function submitForm(pages: Pages, c: C): Promise<Response> {
  const match = await pages.matchOf(c)
  refuseForeign(c)
  const request = await serve(pages.screens, c, pages.panel)
  const form = await formIn(pages, request, match)
  if (!form) return html(pages.screens, c, <SessionEnded request={request} />, 401, NO_CACHE)
  const op = form.get('do') as OperationId
  const act = lookupOwn(match.screen.acts ?? {}, op)
  if (!act) throw notFound('action')
  const submission: Submission = { pages, request, match, form, op, act }
  if (!request.session.authenticated) return ended(submission)
  return pages.enter(request, match, (page) => submit(submission, page))
}

/** The fields; undefined if the session has ended and they are too long to keep. */
async function formIn(
  pages: Pages,
  request: PanelRequest,
  { screen }: PageMatch,
): Promise<URLSearchParams | undefined> {
  const { c, session } = request
  const preallocated = actionsOf(screen).some(
    (op) => (operations[op] as Declaration).room === 'zone' || screen.acts?.[op]?.toBytes !== undefined,
  )
  try {
    return await pages.screens.form(c, pages.panel, preallocated ? 'zone' : undefined, (head) =>
      refuseLong(request, head),
    )
  } catch (error) {
    if (session.authenticated || !(error instanceof Problem) || error.code !== 'too-large') throw error
    return undefined
  }
}

const signedInAgain =
  'You have signed in again since this form was filled in. Open its page again: the text that you typed comes back. Without JavaScript, go back and copy it first.'

/** A long form from another session is neither read to its end nor shown again. */
function refuseLong({ session }: PanelRequest, head: URLSearchParams): void {
  if (session.authenticated && !isOfSession(session, head)) throw new Problem('csrf', signedInAgain)
}

function ended(submission: Submission): Promise<Response> {
  const { request, act, pages } = submission
  return html(pages.screens, request.c, <SessionEnded request={request} typed={submission} act={act} />, 401, NO_CACHE)
}

async function submit(submission: Submission, page: PageRequest): Promise<Response> {
  const { request, op, act, form } = submission
  try {
    refuseOther(request, form)
    if (page.query.get('say') === 'data') return await submission.pages.changes(page, undefined, submission)
    if (act.many) return await many(submission, page)
    if (act.staging?.when(form)) return await staged(submission, narrowed(page, form))
    if (asksFirst(op) && !form.has('_yes')) return await confirming(submission, page, submission)
    await refuseWrongName(submission, page)
    return await perform(submission, page)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return again(submission, page, error)
  }
}

/** Changes many rows of a list, one by one. */
async function many({ pages, op, act, form }: Submission, page: PageRequest, problem?: Problem): Promise<Response> {
  const items = await itemsIn(page, op, form)
  const make = await bulkPage({ page, op, form, items }, problem && refusalOf(problem))
  const draft = { op, form, many: wordsFor(act, items) }
  return pages.render(page, make, { status: problem?.status, draft })
}

/** The names that one command takes for all of them; undefined if it takes only one, or if a name is not plain text. */
function wordsFor({ rows }: Action, items: readonly Item[]): readonly string[] | undefined {
  const words = items.map(({ id, name }) => (rows ? rows.word?.(id) : name))
  return words.every((word) => word !== undefined) ? words : undefined
}

export const isOfSession = ({ csrf_token }: SessionView, form: URLSearchParams): boolean =>
  unmaskToken(form.get('csrf_token') ?? '') === csrf_token

export function refuseOther({ session }: PanelRequest, form: URLSearchParams): void {
  if (!isOfSession(session, form)) throw anotherSession(session)
}

/** Shows the page again, with the changes staged in its form. */
async function staged(submission: Submission, page: PageRequest, problem?: Problem): Promise<Response> {
  const { pages, op, act, form } = submission
  const view = await viewContextOf(page, previousOf(submission, problem))
  const next = act.staging?.next(view) ?? form
  const draft = { op, form: next }
  return pages.render(page, () => renderView({ ...view, typed: next }), { status: problem?.status, view, draft })
}

/** What was typed, and its errors. */
const previousOf = (typed: TypedForm | undefined, problem: Problem | undefined) => ({
  typed,
  refusal: problem && refusalOf(problem),
})

const narrowing = '_show.'

/** A staging form filters its page's list by itself: a link would lose the staged changes. */
function narrowed(page: PageRequest, form: URLSearchParams): PageRequest {
  const query = new URLSearchParams(page.query)
  for (const [field, value] of form) {
    const name = field.slice(narrowing.length)
    if (!field.startsWith(narrowing) || (query.get(name) ?? '') === value) continue
    query.set(name, value)
    query.delete('page')
  }
  return { ...page, query }
}

/** Another user may have signed in since, in another tab of the same browser. */
export const anotherSession = ({ username = '' }: SessionView): Problem =>
  new Problem('csrf', `You have signed in again since this form was filled in, now as ${username}. Check it and save.`)

async function confirming(
  submission: Submission,
  page: PageRequest,
  typed?: TypedForm,
  problem?: Problem,
): Promise<Response> {
  const { pages, op, form } = submission
  const view = await viewContextOf(page, previousOf(typed, problem))
  const make = () => confirmation(view, op, itemIn(form))
  return pages.render(page, make, { status: problem?.status, view, draft: submission })
}

/** Checks the typed name for operations that do not check it themselves. */
async function refuseWrongName({ op, form }: Submission, page: PageRequest): Promise<void> {
  const { cli, query }: Declaration = operations[op]
  if (cli?.confirm !== 'name' || (query && 'confirm' in query.shape)) return
  const name = nameToType(await viewContextOf(page), op)
  if (form.get('confirm') !== name) throw invalid('confirm', `must be ${name}`)
}

async function perform(submission: Submission, page: PageRequest): Promise<Response> {
  const { request, op, act, form } = submission
  const password = form.get('_password')
  if (act.toBytes) return answered(submission, page, await performBytes(submission, page, act.toBytes))
  const credential = form.get('_passkey')
  if (credential) await confirmWithPasskey(request, credential)
  else if (password !== null) await run(request, confirmOf(request.panel), { body: { password } })
  const { query, ...typed } = await inputOf(request, op, form, page.context.accountId)
  const body = act.toBody?.(form) ?? typed.body
  const confirm = form.get('confirm')
  const { query: takes }: Declaration = operations[op]
  const input = confirm !== null && takes && 'confirm' in takes.shape ? { ...query, confirm } : query
  const key = takesKey(op) ? (form.get('_key') ?? undefined) : undefined
  const answer = await run(request, op, { params: paramsIn(submission, page), query: input, body, key }).catch(
    (problem: unknown) => {
      throw withUnknownNames(op, body, problem)
    },
  )
  return answered(submission, page, answer)
}

const confirmWithPasskey = (request: PanelRequest, credential: string): Promise<Answer> =>
  run(request, ownSignIn[request.panel].confirmPasskey, { body: { credential: credentialIn(credential) } })

function performBytes(
  submission: Submission,
  page: PageRequest,
  sends: NonNullable<Action['toBytes']>,
): Promise<Answer> {
  const { request, match, op, form } = submission
  const { query, headers, bytes } = sends(form, match.names)
  return run(request, op, {
    params: paramsIn(submission, page),
    query,
    headers: { ...headers, 'content-length': String(bytes.length) },
    bytes: Readable.from([Buffer.from(bytes)]),
  })
}

export const paramsIn = ({ op, form }: Submission, page: PageRequest) => paramsFor(page, op, itemIn(form))

/** Follows a link, shows one-time secrets, or redirects to the next page. */
export async function answered(submission: Submission, page: PageRequest, answer: Answer): Promise<Response> {
  const { pages, request, op, act } = submission
  const data = json(answer)
  const next = redirectTarget(submission, page, data)
  const link = act.followsLink && linkIn(request, data)
  if (link) return redirect(pages.screens, link, 303, answer.headers)
  const once = oneTimeSecretsIn(op, data)
  const hint = submission.hasFile ? undefined : await commandHintOf(page, submission).catch(() => undefined)
  if (hint) pages.ran.keep(request, next, hint)
  if (once.length === 0 && !act.result) return redirect(pages.screens, next, 303, answer.headers)
  const result = act.result?.(data, next, await viewContextOf(page))
  const isLink = act.followsLink === true
  const body = () => (isLink ? <OneTimeLink of={data} next={next} /> : <OneTimeSecrets items={once} next={next} />)
  const make = () => ({ title: t(isLink ? 'Open this link' : act.done), body: result ?? body() })
  return pages.render(page, make, { draft: submission }).then(unkept)
}

const unkept = (response: Response): Response => {
  response.headers.set('Cache-Control', 'no-store')
  return response
}

/** A one-time link of this panel; pages may submit forms nowhere else. */
function linkIn({ url }: PanelRequest, data: Answered): string | undefined {
  if (typeof data?.url !== 'string' || data.expires_in === undefined) return undefined
  return new URL(data.url).host === url.host ? data.url : undefined
}

/** The next page's address, which says what was done. A form stays if the session may not see where it leads. */
function redirectTarget({ match, request, op, act, form }: Submission, page: PageRequest, data: Answered): string {
  const object = objectIn(op, data)
  const query = { done: op, job: data?.job_id, undo: packUndo(act.undo?.(form, data) ?? undoNotice(act, object)) }
  const to = typeof act.to === 'function' ? act.to(form) : act.to
  const next = to === undefined ? undefined : hrefTo(match.base, to, { ...match.names, ...object }, query)
  if (next !== undefined && !(isForm(match.screen) && isClosed(page, next))) return next
  return (
    renamed(match.screen, belowAccount(match, pathOf(request), data), object) +
    queryOf({ ...pathInQuery(request), ...query })
  )
}

const isForm = ({ shows }: Screen): boolean => operations[shows].method !== 'get'

/** Whether an address is that of a page that the session may not see. */
function isClosed({ request, map, context }: PageRequest, address: string): boolean {
  const found = matchPage(map, request.panel, new URL(address, request.url).pathname)
  return found !== undefined && !mayRun(found.screen.shows, request.session, context.features)
}

/** A renamed account's pages move to another address. */
function belowAccount({ base, account }: PageMatch, path: string, data: Answered): string {
  const name = data?.account?.username
  if (account === undefined || isId(account) || name === undefined || name === account) return path
  return `/admin/accounts/${encodeURIComponent(name)}${path.slice(base.length)}`
}

/** A renamed object's page moves to another address. */
function renamed(screen: Screen, path: string, object: Answered): string {
  const last = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  const name = screen.name && screen.path.endsWith('}') && last !== object.id ? object[screen.name] : undefined
  if (name === undefined || name === last) return path
  return `${path.slice(0, path.lastIndexOf('/'))}/${encodeURIComponent(isMisread(name) ? object.id : name)}`
}

/** The same page with what was typed, and the errors beside it. */
export async function again(submission: Submission, page: PageRequest, problem: Problem): Promise<Response> {
  const { pages, op, act, form } = submission
  if (problem.code === 'forbidden' || problem.code === 'not-found') throw problem
  if (unconfirmed(problem)) return passwordAgain(submission, page)
  if (form.has('_password')) return passwordAgain(submission, page, problem)
  if (problem.code === 'csrf' && act.many) return many(submission, page, problem)
  if (act.staging) return staged(submission, page, problem)
  if (asksFirst(op)) return confirming(submission, page, submission, problem)
  const view = await viewContextOf(page, previousOf(submission, problem))
  const draft = submission.hasFile && !act.certificateFiles ? undefined : submission
  return pages.render(page, () => renderView(view), { status: problem.status, view, draft })
}

/** Whether a passkey of the user works at this address. */
async function mayConfirmByPasskey(request: PanelRequest): Promise<boolean> {
  if (!request.session.two_factor_enabled) return false
  const { items, rp_id } = await readAnew(request, ownSignIn[request.panel].passkeys, {})
  return rp_id !== undefined && items.some(({ on_this_host }: Answered) => on_this_host)
}

/** Errors in fields other than the password, which must be in sight. */
const hasFieldErrors = ({ fields }: FormModel): boolean => fields.some(({ error }) => error !== undefined)

/** What was typed is kept out of sight; secrets must be typed again. */
const withoutTyped = (form: FormModel, typed: TypedForm, act: Action): FormModel => ({
  ...form,
  fields: [...hiddenFields(typed, act), ...form.fields.filter(({ control }) => control.kind === 'secret')],
})

async function passwordAgain(submission: Submission, page: PageRequest, problem?: Problem): Promise<Response> {
  const { pages, op, act, form } = submission
  const view = await viewContextOf(page, previousOf(submission, problem))
  const complete = view.form(op, { item: itemIn(form) })
  if (!complete) throw notFound('action')
  const model = hasFieldErrors(complete) ? complete : withoutTyped(complete, submission, act)
  const passkey = await mayConfirmByPasskey(submission.request)
  const make = () => ({
    title: t('Confirm your password'),
    body: (
      <PasswordAgain
        of={model}
        confirmed={form.has('_yes')}
        passkey={passkey ? submission.request.panel : undefined}
        isRoot={view.session.is_root === true}
      />
    ),
  })
  return pages.render(page, make, { status: problem?.status ?? 403, view, draft: submission }).then(unkept)
}
