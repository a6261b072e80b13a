import { Readable } from 'node:stream'
import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { invalid, notFound, Problem } from '../contract/problem.ts'
import type { Answer } from '../runtime/run.ts'
import { html, kept, redirect } from './answers.ts'
import { confirmation, nameToType } from './confirmation.tsx'
import { refuseForeign, unmaskToken } from './csrf.ts'
import { inputOf, itemIn, type Typed } from './forms.ts'
import { viewed } from './generic.ts'
import { actsOf, asksFirst } from './kit/acts.ts'
import { hrefTo, isMisread, queryOf } from './kit/href.ts'
import { own } from './kit/own.ts'
import type { Act, Answered, Screen, SessionView } from './kit/screen.ts'
import { t } from './kit/text.ts'
import { type Looking, paramsFor, pathInQuery, pathOf } from './looking.ts'
import { type Item, itemsIn, manyPage } from './many.tsx'
import { isId } from './names.ts'
import { Once, onceIn } from './once.tsx'
import type { Pages } from './pages.tsx'
import { PasswordAgain } from './password-again.tsx'
import type { Place } from './place.ts'
import { toldOf } from './saying.tsx'
import { type C, json, objectIn, run, type Served, serve } from './served.ts'
import { SessionEnded } from './session-ended.tsx'
import { confirmOf, unconfirmed } from './sign-in.tsx'
import { packUndo, toldBack } from './undo.ts'
import { refusalOf, takesKey, visitOf } from './visit.ts'

/** A submitted form, and the page it was sent to. */
export interface Sent {
  readonly pages: Pages
  readonly served: Served
  readonly place: Place
  readonly op: OperationId
  readonly act: Act
  readonly form: URLSearchParams
  /** It included a file, which its command would not mention. */
  readonly untold?: boolean
}

/** Runs the form's operation and redirects; or shows the form again with its errors. */
export async function post(pages: Pages, c: C): Promise<Response> {
  const place = await pages.placeOf(c)
  refuseForeign(c)
  const served = await serve(pages.screens, c, pages.panel)
  const form = await formIn(pages, served, place)
  if (!form) return html(pages.screens, c, <SessionEnded served={served} />, 401, kept)
  const op = form.get('do') as OperationId
  const act = own(place.screen.acts ?? {}, op)
  if (!act) throw notFound('action')
  const sent: Sent = { pages, served, place, form, op, act }
  if (!served.session.authenticated) return ended(sent)
  return pages.enter(served, place, (looking) => take(sent, looking))
}

/** The fields; undefined if the session has ended and they are too long to keep. */
async function formIn(pages: Pages, served: Served, { screen }: Place): Promise<URLSearchParams | undefined> {
  const { c, session } = served
  const roomy = actsOf(screen).some(
    (op) => (operations[op] as Declaration).room === 'zone' || screen.acts?.[op]?.sends !== undefined,
  )
  try {
    return await pages.screens.form(c, pages.panel, roomy ? 'zone' : undefined, (head) => refuseLong(served, head))
  } catch (error) {
    if (session.authenticated || !(error instanceof Problem) || error.code !== 'too-large') throw error
    return undefined
  }
}

const signedInAgain =
  'You have signed in again since this form was filled in. Open its page again: the text that you typed comes back. Without JavaScript, go back and copy it first.'

/** A long form from another session is neither read to its end nor shown again. */
function refuseLong({ session }: Served, head: URLSearchParams): void {
  if (session.authenticated && !isOfSession(session, head)) throw new Problem('csrf', signedInAgain)
}

function ended(sent: Sent): Promise<Response> {
  const { served, act, pages } = sent
  return html(pages.screens, served.c, <SessionEnded served={served} typed={sent} act={act} />, 401, kept)
}

async function take(sent: Sent, looking: Looking): Promise<Response> {
  const { served, op, act, form } = sent
  try {
    refuseOther(served, form)
    if (looking.query.get('say') === 'data') return await sent.pages.changes(looking, undefined, sent)
    if (act.many) return await many(sent, looking)
    if (act.stages?.when(form)) return await staged(sent, narrowed(looking, form))
    if (asksFirst(op) && !form.has('_yes')) return await confirming(sent, looking, sent)
    await refuseWrongName(sent, looking)
    return await perform(sent, looking)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return again(sent, looking, error)
  }
}

/** Changes many rows of a list, one by one. */
async function many({ pages, op, act, form }: Sent, looking: Looking, problem?: Problem): Promise<Response> {
  const items = await itemsIn(looking, op, form)
  const make = await manyPage({ looking, op, form, items }, problem && refusalOf(problem))
  const typing = { op, form, many: wordsFor(act, items) }
  return pages.shown(looking, make, { status: problem?.status, typing })
}

/** The names that one command takes for all of them; undefined if it takes only one, or if a name is not plain text. */
function wordsFor({ rows }: Act, items: readonly Item[]): readonly string[] | undefined {
  const words = items.map(({ id, name }) => (rows ? rows.word?.(id) : name))
  return words.every((word) => word !== undefined) ? words : undefined
}

export const isOfSession = ({ csrf_token }: SessionView, form: URLSearchParams): boolean =>
  unmaskToken(form.get('csrf_token') ?? '') === csrf_token

export function refuseOther({ session }: Served, form: URLSearchParams): void {
  if (!isOfSession(session, form)) throw anotherSession(session)
}

/** Shows the page again, with the changes staged in its form. */
async function staged(sent: Sent, looking: Looking, problem?: Problem): Promise<Response> {
  const { pages, op, act, form } = sent
  const visit = await visitOf(looking, pastOf(sent, problem))
  const next = act.stages?.next(visit) ?? form
  const typing = { op, form: next }
  return pages.shown(looking, () => viewed({ ...visit, typed: next }), { status: problem?.status, visit, typing })
}

/** What was typed, and its errors. */
const pastOf = (typed: Typed | undefined, problem: Problem | undefined) => ({
  typed,
  refusal: problem && refusalOf(problem),
})

const narrowing = '_show.'

/** A staging form filters its page's list by itself: a link would lose the staged changes. */
function narrowed(looking: Looking, form: URLSearchParams): Looking {
  const query = new URLSearchParams(looking.query)
  for (const [field, value] of form) {
    const name = field.slice(narrowing.length)
    if (!field.startsWith(narrowing) || (query.get(name) ?? '') === value) continue
    query.set(name, value)
    query.delete('page')
  }
  return { ...looking, query }
}

/** Another user may have signed in since, in another tab of the same browser. */
export const anotherSession = ({ username = '' }: SessionView): Problem =>
  new Problem('csrf', `You have signed in again since this form was filled in, now as ${username}. Check it and save.`)

async function confirming(sent: Sent, looking: Looking, typed?: Typed, problem?: Problem): Promise<Response> {
  const { pages, op, form } = sent
  const visit = await visitOf(looking, pastOf(typed, problem))
  const make = () => confirmation(visit, op, itemIn(form))
  return pages.shown(looking, make, { status: problem?.status, visit, typing: sent })
}

/** Checks the typed name for operations that do not check it themselves. */
async function refuseWrongName({ op, form }: Sent, looking: Looking): Promise<void> {
  const { cli, query }: Declaration = operations[op]
  if (cli?.confirm !== 'name' || (query && 'confirm' in query.shape)) return
  const name = nameToType(await visitOf(looking), op)
  if (form.get('confirm') !== name) throw invalid('confirm', `must be ${name}`)
}

async function perform(sent: Sent, looking: Looking): Promise<Response> {
  const { served, op, act, form } = sent
  const password = form.get('_password')
  if (act.sends) return answered(sent, looking, await performBytes(sent, looking, act.sends))
  if (password !== null) await run(served, confirmOf(served.panel), { body: { password } })
  const { body, query } = await inputOf(served, op, form, looking.around.accountId)
  const confirm = form.get('confirm')
  const { query: takes }: Declaration = operations[op]
  const asked = confirm !== null && takes && 'confirm' in takes.shape ? { ...query, confirm } : query
  const key = takesKey(op) ? (form.get('_key') ?? undefined) : undefined
  const answer = await run(served, op, { params: paramsIn(sent, looking), query: asked, body, key })
  return answered(sent, looking, answer)
}

function performBytes(sent: Sent, looking: Looking, sends: NonNullable<Act['sends']>): Promise<Answer> {
  const { served, place, op, form } = sent
  const { query, headers, bytes } = sends(form, place.names)
  return run(served, op, {
    params: paramsIn(sent, looking),
    query,
    headers: { ...headers, 'content-length': String(bytes.length) },
    bytes: Readable.from([Buffer.from(bytes)]),
  })
}

export const paramsIn = ({ op, form }: Sent, looking: Looking) => paramsFor(looking, op, itemIn(form))

/** Follows a link, shows one-time secrets, or redirects to the next page. */
export async function answered(sent: Sent, looking: Looking, answer: Answer): Promise<Response> {
  const { pages, served, op, act } = sent
  const data = json(answer)
  const next = wayOn(sent, data)
  const link = act.follows && linkIn(served, data)
  if (link) return redirect(pages.screens, link, 303, answer.headers)
  const once = onceIn(op, data)
  const told = sent.untold ? undefined : await toldOf(looking, sent).catch(() => undefined)
  if (told) pages.ran.keep(served, next, told)
  if (once.length === 0) return redirect(pages.screens, next, 303, answer.headers)
  const make = () => ({ title: t(act.done), body: <Once items={once} next={next} /> })
  return pages.shown(looking, make, { typing: sent }).then(unkept)
}

const unkept = (response: Response): Response => {
  response.headers.set('Cache-Control', 'no-store')
  return response
}

/** A one-time link of this panel; pages may submit forms nowhere else. */
function linkIn({ url }: Served, data: Answered): string | undefined {
  if (typeof data?.url !== 'string' || data.expires_in === undefined) return undefined
  return new URL(data.url).host === url.host ? data.url : undefined
}

/** The next page's address, which says what was done. */
function wayOn({ place, served, op, act, form }: Sent, data: Answered): string {
  const object = objectIn(op, data)
  const query = { done: op, job: data?.job_id, undo: packUndo(act.undo?.(form, data) ?? toldBack(act, object)) }
  const to = typeof act.to === 'function' ? act.to(form) : act.to
  if (to !== undefined) return hrefTo(place.base, to, { ...place.names, ...object }, query)
  return (
    renamed(place.screen, belowAccount(place, pathOf(served), data), object) +
    queryOf({ ...pathInQuery(served), ...query })
  )
}

/** A renamed account's pages move to another address. */
function belowAccount({ base, account }: Place, path: string, data: Answered): string {
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
export async function again(sent: Sent, looking: Looking, problem: Problem): Promise<Response> {
  const { pages, op, act, form } = sent
  if (problem.code === 'forbidden' || problem.code === 'not-found') throw problem
  if (unconfirmed(problem)) return passwordAgain(sent, looking)
  if (form.has('_password')) return passwordAgain(sent, looking, problem)
  if (problem.code === 'csrf' && act.many) return many(sent, looking, problem)
  if (act.stages) return staged(sent, looking, problem)
  if (asksFirst(op)) return confirming(sent, looking, sent, problem)
  const visit = await visitOf(looking, pastOf(sent, problem))
  const typing = sent.untold ? undefined : sent
  return pages.shown(looking, () => viewed(visit), { status: problem.status, visit, typing })
}

async function passwordAgain(sent: Sent, looking: Looking, problem?: Problem): Promise<Response> {
  const { pages, op, form } = sent
  const visit = await visitOf(looking, pastOf(sent, problem))
  const model = visit.form(op, { item: itemIn(form) })
  if (!model) throw notFound('action')
  const make = () => ({
    title: t('Confirm your password'),
    body: <PasswordAgain of={model} confirmed={form.has('_yes')} />,
  })
  return pages.shown(looking, make, { status: problem?.status ?? 403, visit, typing: sent }).then(unkept)
}
