import type { Child } from 'hono/jsx'
import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { notFound, Problem } from '../contract/problem.ts'
import type { PanelName } from '../contract/sessions.ts'
import { download, fragment, html, kept } from './answers.ts'
import { type Around, readAround, readIfAllowed } from './around.ts'
import { asksFirst, confirmation } from './confirmation.tsx'
import { savedAs } from './content.ts'
import { comesFromHere } from './csrf.ts'
import { csvOf } from './csv.ts'
import { Finished } from './finished.tsx'
import { frameOf, Refused } from './frame.tsx'
import { viewOf } from './generic.ts'
import { Trouble } from './kit/form.tsx'
import { Page } from './kit/page.tsx'
import type { Answered, Done, Screen, Shown, Visit } from './kit/screen.ts'
import { inLanguage } from './kit/text.ts'
import { Document } from './layout.tsx'
import { SiteMap } from './map.ts'
import { isId } from './names.ts'
import { partAsked, partOf } from './part.tsx'
import { type Place, placeAt } from './place.ts'
import { mayRun } from './rights.ts'
import { changesOf, sayBar, type Typing, typingIn } from './saying.tsx'
import { type C, type Screens, type Served, serve } from './served.ts'
import { isSuspended, SignInPages } from './sign-in.tsx'
import { unpackUndo } from './undo.ts'
import { askOf, type Looking, lookAt, visitOf } from './visit.ts'

/** The pages that areas declare, of one panel. */
export class Pages {
  readonly screens: Screens
  readonly panel: PanelName
  readonly signIn: SignInPages
  #map: Promise<SiteMap> | undefined

  constructor(screens: Screens, panel: PanelName) {
    this.screens = screens
    this.panel = panel
    this.signIn = new SignInPages(screens, panel)
  }

  /** Areas' screens are loaded when a page is first asked for: a server without visitors pays nothing. */
  map(): Promise<SiteMap> {
    this.#map ??= this.screens.declared().then((all) => new SiteMap(all))
    return this.#map
  }

  async get(c: C): Promise<Response> {
    const place = await this.placeOf(c)
    const served = await serve(this.screens, c, this.panel)
    const gated = await this.signIn.gate(served)
    return gated ?? this.guarded(served, place, (around) => this.#show(served, place, around))
  }

  async placeOf(c: C): Promise<Place> {
    const place = placeAt(await this.map(), this.panel, new URL(c.req.url).pathname)
    if (!place) throw new Problem('not-found', 'There is nothing at this path.')
    return place
  }

  async #show(served: Served, place: Place, around: Around): Promise<Response> {
    const looking = await lookAt(served, await this.map(), place, around)
    const asked = looking.query.get('do')
    const file = await fileOf(looking)
    if (file) return file
    const said = await this.#said(looking)
    if (said) return said
    const typed = typingIn(looking)
    if (asked !== null && !typed) throw notFound('action')
    const item = looking.query.get('_item') ?? undefined
    const isAsked = typed && (asksFirst(typed.op) || item !== undefined)
    const done = await doneIn(looking, await this.map())
    const visit = await visitOf(looking, { ...done, ...(typed && !isAsked && { typed }) })
    if (!typed || !isAsked) return this.#view(looking, visit)
    return this.shown(looking, confirmation(visit, typed.op, item), 200, visit)
  }

  /** What speaks of the command alone: its bar, or the file that it needs. */
  async #said(looking: Looking): Promise<Response | undefined> {
    const { c } = looking.served
    if (looking.query.get('say') === 'data') return download(this.screens, 'changes.json', await changesOf(looking))
    if (partAsked(c) !== 'say') return undefined
    const bar = await sayBar(looking)
    return inEnglish(() => fragment(this.screens, c, bar))
  }

  #view(looking: Looking, visit: Visit): Promise<Response> | Response {
    const shown = viewOf(looking.place.screen)(visit)
    const { c } = looking.served
    const part = partAsked(c)
    return part === undefined
      ? this.shown(looking, shown, 200, visit)
      : inEnglish(() => partOf(this.screens, c, part, shown, visit))
  }

  /** A page, or the refusal of one as a page. */
  async guarded(served: Served, place: Place, make: (around: Around) => Promise<Response>): Promise<Response> {
    let around: Around = {}
    try {
      around = await readAround(served, place)
      return await make(around)
    } catch (error) {
      if (isSuspended(error) && this.panel === 'user') return this.signIn.suspended(served)
      if (!(error instanceof Problem)) throw error
      return this.refused(served, place, around, error)
    }
  }

  async refused(served: Served, place: Place, around: Around, problem: Problem): Promise<Response> {
    const frame = { ...frameOf(served, await this.map(), place, around, problem.message), titles: [problem.message] }
    const body = <Refused problem={problem} home={`/${this.panel}/`} />
    return this.#document(served, <Document {...frame}>{body}</Document>, problem.status, problem.headers)
  }

  /** A page, with the command that does the same at its foot. */
  async shown(looking: Looking, shown: Shown, status = 200, visit?: Visit, typing?: Typing): Promise<Response> {
    const { served, place, around, map } = looking
    const say = await sayBar(looking, typing)
    const frame = { ...frameOf(served, map, place, around, shown.title), say }
    const page = (
      <Document {...frame}>
        {visit?.done ? <Finished done={visit.done} visit={visit} /> : null}
        {visit?.refusal ? <Trouble refusal={visit.refusal} /> : null}
        <Page {...shown} tabs={frame.tabs} />
      </Document>
    )
    return this.#document(served, page, status, kept)
  }

  #document({ c }: Served, node: Child, status: number, headers: Readonly<Record<string, string>>): Response {
    return inEnglish(() => html(this.screens, c, node, status, { ...kept, ...headers }))
  }
}

/** What the page shows as a file to save: a list for spreadsheets, or the bytes themselves. */
async function fileOf(looking: Looking): Promise<Response | undefined> {
  const { screen } = looking.place
  const format = looking.query.get('format')
  if (format === 'csv') return csvOf(looking)
  const { raw }: Declaration = operations[screen.shows]
  if (format !== 'file' || raw !== 'answer') return undefined
  return savedAs(looking.served, screen.shows, askOf(looking, screen.shows, screen.query, true))
}

export const inEnglish = <T,>(render: () => T): T => inLanguage({ locale: 'en', texts: {} }, render)

/** What was just done, where this visit comes from the panel itself. */
async function doneIn({ served, place, query, around }: Looking, map: SiteMap): Promise<{ done?: Done }> {
  const op = query.get('done')
  const text = textOf([place.screen, ...map.screens], op)
  if (text === undefined || !comesFromHere(served.c) || !mayRun(op as OperationId, served.session)) return {}
  const id = query.get('job') ?? ''
  const job: Answered = isId(id) ? await jobOf(served, id, around.accountId) : undefined
  const undo = unpackUndo(query.get('undo'))
  return { done: { text, ...(job && { job }), ...(undo && { undo }) } }
}

function jobOf(served: Served, id: string, account: string | undefined): Promise<Answered> {
  return account
    ? readIfAllowed(served, 'getJobForAccount', { params: { id: account, jid: id } })
    : readIfAllowed(served, 'getJob', { params: { id } })
}

const textOf = (screens: readonly Screen[], op: string | null): string | undefined =>
  op === null ? undefined : screens.find(({ acts }) => acts && Object.hasOwn(acts, op))?.acts?.[op as OperationId]?.done
