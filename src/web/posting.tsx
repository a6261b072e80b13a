import { Readable } from 'node:stream'
import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { invalid, notFound, Problem } from '../contract/problem.ts'
import type { Answer } from '../runtime/run.ts'
import { html, redirect } from './answers.ts'
import type { Around } from './around.ts'
import { asksFirst, confirmation, nameToType } from './confirmation.tsx'
import { refuseForeign, unmaskToken } from './csrf.ts'
import { inputOf, type Typed } from './forms.ts'
import { viewOf } from './generic.ts'
import { hrefTo } from './kit/href.ts'
import type { Act, Answered, Screen } from './kit/screen.ts'
import { manyPage } from './many.tsx'
import { paramsOf } from './names.ts'
import { Once, onceIn } from './once.tsx'
import type { Pages } from './pages.tsx'
import { PasswordAgain } from './password-again.tsx'
import type { Place } from './place.ts'
import { type C, json, type Served, serve } from './served.ts'
import { SessionEnded } from './session-ended.tsx'
import { confirmOf, unconfirmed } from './sign-in.tsx'
import { packUndo } from './undo.ts'
import { type Looking, lookAt, pathInQuery, pathOf, refusalOf, visitOf } from './visit.ts'

/** A form as it came, and the page that it came to. */
export interface Sent {
  readonly pages: Pages
  readonly served: Served
  readonly place: Place
  readonly op: OperationId
  readonly form: URLSearchParams
}

/** Runs the operation that a form asks for, and leads on; or shows the form again with what is wrong. */
export async function post(pages: Pages, c: C): Promise<Response> {
  const place = await pages.placeOf(c)
  const served = await serve(pages.screens, c, pages.panel)
  const form = await formIn(pages, served, place)
  if (!form) return html(pages.screens, c, <SessionEnded served={served} />, 401)
  const op = form.get('do') ?? ''
  if (!Object.hasOwn(place.screen.acts ?? {}, op)) throw notFound('action')
  const sent: Sent = { pages, served, place, form, op: op as OperationId }
  if (!served.session.authenticated) return ended(sent)
  const gated = await pages.signIn.gate(served)
  return gated ?? pages.guarded(served, place, (around) => take(sent, around))
}

/** The fields; nothing where the session has ended and they are more than can be kept. */
async function formIn(pages: Pages, { c, session }: Served, { screen }: Place): Promise<URLSearchParams | undefined> {
  const roomy = (Object.keys(screen.acts ?? {}) as OperationId[]).some(
    (op) => (operations[op] as Declaration).room === 'zone' || screen.acts?.[op]?.sends !== undefined,
  )
  try {
    return await pages.screens.form(c, pages.panel, roomy ? 'zone' : undefined)
  } catch (error) {
    if (session.authenticated || !(error instanceof Problem) || error.code !== 'too-large') throw error
    return undefined
  }
}

const ended = ({ served, op, form, pages }: Sent): Response =>
  html(pages.screens, served.c, <SessionEnded served={served} typed={{ op, form }} />, 401)

async function take(sent: Sent, around: Around): Promise<Response> {
  const { served, place, op, form } = sent
  const looking = await lookAt(served, await sent.pages.map(), place, around)
  try {
    refuseForeign(served.c)
    refuseOther(served, form)
    if (place.screen.acts?.[op]?.many) return await many(sent, looking)
    if (place.screen.acts?.[op]?.stages?.when(form)) return await staged(sent, narrowed(looking, form))
    if (asksFirst(op) && !form.has('_yes')) return await confirming(sent, looking, { op, form })
    await refuseWrongName(sent, looking)
    return await perform(sent, looking)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return again(sent, looking, error)
  }
}

/** A change of many rows of a list, each by itself. */
const many = async ({ pages, op, form }: Sent, looking: Looking): Promise<Response> =>
  pages.shown(looking, await manyPage(looking, op, form), 200, undefined, { op, form })

export function refuseOther({ session }: Served, form: URLSearchParams): void {
  if (unmaskToken(form.get('csrf_token') ?? '') !== session.csrf_token) throw anotherSession()
}

/** Once more the page, with what its form has gathered. */
async function staged({ pages, place, op, form }: Sent, looking: Looking, problem?: Problem): Promise<Response> {
  const past = { typed: { op, form }, ...(problem && { refusal: refusalOf(problem) }) }
  const visit = await visitOf(looking, past)
  const next = place.screen.acts?.[op]?.stages?.next(visit) ?? form
  const shown = viewOf(place.screen)({ ...visit, typed: next })
  return pages.shown(looking, shown, problem?.status ?? 200, visit, { op, form: next })
}

const narrowing = '_show.'

/** A form that gathers changes narrows the list of its page by itself: a link would lose them. */
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

const anotherSession = (): Problem =>
  new Problem('csrf', 'You have signed in again since this form was filled in. Check it and save.')

async function confirming(sent: Sent, looking: Looking, typed?: Typed, problem?: Problem): Promise<Response> {
  const { pages, op, form } = sent
  const visit = await visitOf(looking, { ...(typed && { typed }), ...(problem && { refusal: refusalOf(problem) }) })
  const shown = confirmation(visit, op, form.get('_item') ?? undefined)
  return pages.shown(looking, shown, problem?.status ?? 200, visit, { op, form })
}

/** Where the operation does not ask for the name itself. */
async function refuseWrongName({ op, form }: Sent, looking: Looking): Promise<void> {
  const { cli, query }: Declaration = operations[op]
  if (cli?.confirm !== 'name' || (query && 'confirm' in query.shape)) return
  const name = nameToType(await visitOf(looking), op)
  if (form.get('confirm') !== name) throw invalid('confirm', `must be ${name}`)
}

async function perform(sent: Sent, looking: Looking): Promise<Response> {
  const { served, op, form } = sent
  const { screens, c, panel, session } = served
  const password = form.get('_password')
  const csrf = session.csrf_token
  const sends = sent.place.screen.acts?.[op]?.sends
  if (sends) return answered(sent, looking, await performBytes(sent, looking, sends))
  if (password !== null) await screens.perform(c, confirmOf(panel), { body: { password }, csrf })
  const { body, query } = await inputOf(served, op, form, looking.around.accountId)
  const confirm = form.get('confirm')
  const { query: takes }: Declaration = operations[op]
  const asked = confirm !== null && takes && 'confirm' in takes.shape ? { ...query, confirm } : query
  const key = form.get('_key') ?? undefined
  const answer = await screens.perform(c, op, {
    params: paramsIn(sent, looking),
    query: asked,
    body,
    csrf,
    key: takesKey(op) ? key : undefined,
  })
  return answered(sent, looking, answer)
}

function performBytes(sent: Sent, looking: Looking, sends: NonNullable<Act['sends']>): Promise<Answer> {
  const { served, place, op, form } = sent
  const { query, headers, bytes } = sends(form, place.names)
  return served.screens.perform(served.c, op, {
    params: paramsIn(sent, looking),
    query,
    headers: { ...headers, 'content-length': String(bytes.length) },
    bytes: Readable.from([Buffer.from(bytes)]),
    csrf: served.session.csrf_token,
  })
}

const takesKey = (op: OperationId): boolean => {
  const { method, secret }: Declaration = operations[op]
  return method === 'post' && !secret
}

export function paramsIn({ op, form }: Sent, { ids, around }: Looking): Readonly<Record<string, string>> {
  const item = form.get('_item')
  return paramsOf(op, [...Object.values(ids), ...(item === null ? [] : [item])], around.accountId)
}

/** Follows a link, shows what is shown once, or leads to the page that comes next. */
export function answered(sent: Sent, looking: Looking, answer: Answer): Promise<Response> | Response {
  const { pages, served, place, op } = sent
  const data = json(answer)
  const next = wayOn(sent, data)
  const link = place.screen.acts?.[op]?.follows && linkIn(served, data)
  if (link) return redirect(pages.screens, link, 303, answer.headers)
  const once = onceIn(op, data)
  if (once.length === 0) return redirect(pages.screens, next, 303, answer.headers)
  const shown = { title: place.screen.acts?.[op]?.done ?? place.screen.title, body: <Once items={once} next={next} /> }
  return pages.shown(looking, shown).then(unkept)
}

const unkept = (response: Response): Response => {
  response.headers.set('Cache-Control', 'no-store')
  return response
}

/** A one-time link of this panel; pages may send forms to no other place. */
function linkIn({ c }: Served, data: Answered): string | undefined {
  if (typeof data?.url !== 'string' || data.expires_in === undefined) return undefined
  return new URL(data.url).host === new URL(c.req.url).host ? data.url : undefined
}

/** The page that follows, which says what was done. */
function wayOn({ place, served, op, form }: Sent, data: Answered): string {
  const { cli }: Declaration = operations[op]
  const act = place.screen.acts?.[op]
  const object = (cli?.show && data?.[cli.show]) || data || {}
  const query = { done: op, job: data?.job_id, undo: packUndo(act?.undo?.(form, data)) }
  if (act?.to !== undefined) return hrefTo(place.base, act.to, { ...place.names, ...object }, query)
  return hrefTo(renamed(place.screen, pathOf(served), object), '', {}, { ...pathInQuery(served), ...query })
}

/** The page of what was just renamed has another address. */
function renamed(screen: Screen, path: string, object: Answered): string {
  const last = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  const name = screen.name && screen.path.endsWith('}') && last !== object.id ? object[screen.name] : undefined
  return name === undefined || name === last
    ? path
    : `${path.slice(0, path.lastIndexOf('/'))}/${encodeURIComponent(name)}`
}

/** The same page with what was typed, and what is wrong beside it. */
export async function again(sent: Sent, looking: Looking, problem: Problem): Promise<Response> {
  const { pages, place, op, form } = sent
  const typed = { op, form }
  if (problem.code === 'forbidden' || problem.code === 'not-found') throw problem
  if (unconfirmed(problem)) return passwordAgain(sent, looking, typed)
  if (form.has('_password')) return passwordAgain(sent, looking, typed, problem)
  if (asksFirst(op)) return confirming(sent, looking, typed, problem)
  if (place.screen.acts?.[op]?.stages) return staged(sent, looking, problem)
  const visit = await visitOf(looking, { typed, refusal: refusalOf(problem) })
  return pages.shown(looking, viewOf(place.screen)(visit), problem.status, visit, typed)
}

async function passwordAgain(sent: Sent, looking: Looking, typed: Typed, problem?: Problem): Promise<Response> {
  const { pages, op, form } = sent
  const visit = await visitOf(looking, { typed, ...(problem && { refusal: refusalOf(problem) }) })
  const item = form.get('_item') ?? undefined
  const model = visit.form(op, item === undefined ? {} : { item })
  if (!model) throw notFound('action')
  const shown = { title: 'Confirm your password', body: <PasswordAgain of={model} confirmed={form.has('_yes')} /> }
  return pages.shown(looking, shown, problem?.status ?? 403, visit, typed).then(unkept)
}
