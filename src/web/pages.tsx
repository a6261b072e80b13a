import type { Child } from 'hono/jsx'
import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { notFound, Problem } from '../contract/problem.ts'
import type { PanelName } from '../contract/sessions.ts'
import { once } from '../shared/once.ts'
import { download, fragment, html, kept } from './answers.ts'
import { type Around, readAround, readIfAllowed } from './around.ts'
import { confirmation } from './confirmation.tsx'
import { savedAs } from './content.ts'
import { comesFromHere } from './csrf.ts'
import { csvOf } from './csv.ts'
import { Finished, Followed } from './finished.tsx'
import { itemIn } from './forms.ts'
import { frameOf, Refused } from './frame.tsx'
import { viewed } from './generic.ts'
import { asksFirst } from './kit/acts.ts'
import { Trouble } from './kit/form.tsx'
import { own } from './kit/own.ts'
import { Page } from './kit/page.tsx'
import type { Act, Answered, Done, Screen, Shown, Visit } from './kit/screen.ts'
import { sideOf } from './kit/side.ts'
import { inLanguageOf, speak } from './language.ts'
import { Document } from './layout.tsx'
import { logOf } from './log.ts'
import { askOf, askOfPage, type Looking, lookAt } from './looking.ts'
import { SiteMap } from './map.ts'
import { isId } from './names.ts'
import { goesOn, partAsked, partOf } from './part.tsx'
import { type Place, placeAt } from './place.ts'
import { Ran } from './ran.ts'
import { mayRun } from './rights.ts'
import { changesOf, sayBar, type Typing, typingIn } from './saying.tsx'
import { type C, read, type Screens, type Served, serve } from './served.ts'
import { isSuspended, SignInPages } from './sign-in.tsx'
import { unpackUndo } from './undo.ts'
import { visitOf } from './visit.ts'

/** What else is known about a page to show. */
interface About {
  readonly status?: number | undefined
  readonly visit?: Visit
  /** The form that the page's command describes, if the address does not. */
  readonly typing?: Typing | undefined
}

/** One panel's pages, as areas declare them. */
export class Pages {
  readonly screens: Screens
  readonly panel: PanelName
  readonly signIn: SignInPages
  readonly ran = new Ran()
  readonly map = once(async () => new SiteMap(await this.screens.declared()))

  constructor(screens: Screens, panel: PanelName) {
    this.screens = screens
    this.panel = panel
    this.signIn = new SignInPages(screens, panel)
  }

  async get(c: C): Promise<Response> {
    const place = await this.placeOf(c)
    const served = await serve(this.screens, c, this.panel)
    return this.enter(served, place, (looking) => this.#show(looking))
  }

  /** Answers for a place once no prior step is required; renders a refusal as a page. */
  async enter(served: Served, place: Place, answer: (looking: Looking) => Promise<Response>): Promise<Response> {
    return (await this.signIn.gate(served)) ?? this.guarded(served, place, answer)
  }

  async placeOf(c: C): Promise<Place> {
    const place = placeAt(await this.map(), this.panel, new URL(c.req.url).pathname)
    if (!place) throw new Problem('not-found', 'There is no page at this address.')
    return place
  }

  async #show(looking: Looking): Promise<Response> {
    const asked = looking.query.get('do')
    const file = await fileOf(looking)
    if (file) return file
    const said = await this.#said(looking)
    if (said) return said
    const typed = typingIn(looking)
    if (asked !== null && !typed) throw notFound('action')
    const item = itemIn(looking.query)
    const isAsked = typed && (asksFirst(typed.op) || item !== undefined)
    const done = await doneIn(looking)
    const visit = await visitOf(looking, { ...done, typed: isAsked ? undefined : typed })
    if (!typed || !isAsked) return this.#view(looking, visit)
    return this.shown(looking, () => confirmation(visit, typed.op, item), { visit })
  }

  /** Requests for the command alone: its bar, or the file that it needs. */
  async #said(looking: Looking): Promise<Response | undefined> {
    const { c } = looking.served
    if (looking.query.get('say') === 'data') return this.changes(looking, this.ran.of(looking.served)?.panel?.data)
    if (partAsked(c) !== 'say') return undefined
    const bar = await sayBar(looking)
    return fragment(this.screens, c, bar)
  }

  /** The file that a command needs: from what was run, or what is typed. */
  async changes(looking: Looking, ran: string | undefined, typing?: Typing): Promise<Response> {
    return download(this.screens, 'changes.json', ran ?? (await changesOf(looking, typing)))
  }

  #view(looking: Looking, visit: Visit): Promise<Response> {
    const { c } = looking.served
    const shown = inLanguageOf(c, () => viewed(visit))
    const part = partAsked(c)
    return part === undefined
      ? this.shown(looking, () => shown, { visit })
      : partOf(this.screens, c, part, shown, visit)
  }

  /** Answers for a place, or renders the refusal as a page. */
  async guarded(served: Served, place: Place, answer: (looking: Looking) => Promise<Response>): Promise<Response> {
    let around: Around = {}
    try {
      around = await readAround(served, place)
      if (this.panel === 'user') speak(served.c, around.account?.locale)
      return await answer(await lookAt(served, await this.map(), place, around))
    } catch (error) {
      if (isSuspended(error) && this.panel === 'user') return this.signIn.suspended(served)
      if (!(error instanceof Problem)) throw error
      return this.refused(served, place, around, error)
    }
  }

  async refused(served: Served, place: Place, around: Around, problem: Problem): Promise<Response> {
    const map = await this.map()
    const { tabs: _, ...frame } = inLanguageOf(served.c, () => frameOf(served, map, place, around, problem.message))
    const body = <Refused problem={problem} home={`/${this.panel}/`} />
    return this.#document(
      served,
      <Document {...frame} titles={[problem.message]}>
        {body}
      </Document>,
      problem.status,
      problem.headers,
    )
  }

  /** Renders a page in the visit's language, with the equivalent command at its foot. */
  async shown(looking: Looking, make: () => Shown, { status = 200, visit, typing }: About = {}): Promise<Response> {
    const { served, place, around, map } = looking
    const say = await sayBar(looking, typing, this.ran.of(served))
    const shown = inLanguageOf(served.c, make)
    const { tabs, ...frame } = inLanguageOf(served.c, () => frameOf(served, map, place, around, shown.title))
    const page = (
      <Document {...frame} say={say}>
        {visit?.done ? <Finished done={visit.done} visit={visit} /> : null}
        {visit && goesOn(shown, visit) ? <Followed visit={visit} live={shown.live} /> : null}
        <Trouble of={visit?.refusal} />
        <Page {...shown} tabs={tabs} />
      </Document>
    )
    return this.#document(served, page, status, kept)
  }

  #document({ c }: Served, node: Child, status: number, headers: Readonly<Record<string, string>>): Promise<Response> {
    return html(this.screens, c, node, status, { ...kept, ...headers })
  }
}

/** The page's content as a file to save: a list as CSV, the raw bytes, or a file made from it. */
async function fileOf(looking: Looking): Promise<Response | undefined> {
  const { screen } = looking.place
  const made = own(screen.files ?? {}, looking.query.get('file') ?? '')
  if (made) return madeOf(looking, made)
  const format = looking.query.get('format')
  if (format === 'csv') return csvOf(looking)
  if (format === 'log' && screen.since === 'log_after') return logOf(looking)
  const { raw }: Declaration = operations[screen.shows]
  if (format !== 'file' || raw !== 'answer') return undefined
  return savedAs(looking.served, screen.shows, askOfPage(looking))
}

async function madeOf(looking: Looking, make: (data: Answered) => { name: string; text: string }): Promise<Response> {
  const { served, place } = looking
  const { name, text } = make(await read(served, place.screen.shows, askOf(looking, place.screen.shows, undefined)))
  return download(served.screens, name, text)
}

/** What was just done, if the visit comes from the panel itself. */
async function doneIn({ served, place, query, around, map }: Looking): Promise<{ done?: Done }> {
  const op = query.get('done')
  if (op === null) return {}
  const act = actTo(map, served, place, op)
  if (!act || !comesFromHere(served.c) || !mayRun(op as OperationId, served.session)) return {}
  const id = query.get('job') ?? ''
  const job: Answered = isId(id) ? await jobOf(served, id, around.accountId) : undefined
  const undo = unpackUndo(query.get('undo'))
  return { done: { text: act.done, ...(job && { job }), ...(undo && { undo }), ...(act.back && { back: act.back }) } }
}

function jobOf(served: Served, id: string, account: string | undefined): Promise<Answered> {
  return account
    ? readIfAllowed(served, 'getJobForAccount', { params: { id: account, jid: id } })
    : readIfAllowed(served, 'getJob', { params: { id } })
}

/** The act that redirected to this page. */
function actTo(map: SiteMap, { panel }: Served, place: Place, op: string | null): Act | undefined {
  const leading = [place.screen, ...map.screens].find(
    (screen) => (screen.only ?? panel) === panel && leadsTo(screen, op ?? '', place),
  )
  return leading?.acts?.[op as OperationId]
}

function leadsTo(screen: Screen, op: string, place: Place): boolean {
  if (!screen.acts || !Object.hasOwn(screen.acts, op)) return false
  const { to } = screen.acts[op as OperationId]!
  if (typeof to !== 'string') return screen === place.screen
  return isAt(sideOf(screen) === 'server' ? '/admin' : place.base, to, place)
}

/** Whether a page matches a pattern such as `/ftp/{login}` below a base. */
function isAt(base: string, path: string, { base: own, below }: Place): boolean {
  const address = `${own}${below}`.replace(/\/$/, '')
  if (!address.startsWith(base)) return false
  const pattern = path.replace(/\{\w+(\.\.\.)?\}/g, '.+').replace(/\/$/, '')
  return new RegExp(`^${pattern}$`).test(address.slice(base.length))
}
