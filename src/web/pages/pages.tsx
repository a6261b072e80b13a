import type { Child } from 'hono/jsx'
import { isId } from '../../contract/common.ts'
import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { notFound, Problem } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { once } from '../../shared/once.ts'
import { changesOf, commandBar, draftIn, type FormDraft } from '../command-bar/command-bar.tsx'
import { LastCommands } from '../command-bar/last-command.ts'
import { confirmation } from '../forms/confirmation.tsx'
import { Flash, Followed } from '../forms/flash.tsx'
import { itemIn } from '../forms/operation-form.ts'
import { unpackUndo } from '../forms/undo.ts'
import { isSameOrigin } from '../http/csrf.ts'
import { inLanguageOf, speak } from '../http/language.ts'
import { savedAs } from '../http/raw-content.ts'
import { download, fragment, html, NO_CACHE } from '../http/responses.ts'
import { asksFirst } from '../kit/actions.ts'
import { Page } from '../kit/components/page.tsx'
import { FormError } from '../kit/forms/form.tsx'
import { lookupOwn } from '../kit/lookup.ts'
import { sideOf } from '../kit/page-scope.ts'
import type { Action, Answered, Done, PageView, Screen, ViewContext } from '../kit/screen.ts'
import { type C, type PanelRequest, read, type Screens, serve } from '../panel-request.ts'
import { isSuspended, SignInPages } from '../sign-in/sign-in.tsx'
import { csvOf } from './csv.ts'
import { renderView } from './default-view.ts'
import { fragmentOf, goesOn, requestedFragment } from './fragments.tsx'
import { frameOf, Refused } from './frame/frame.tsx'
import { Document } from './frame/layout.tsx'
import { logOf } from './job-log.ts'
import { matchPage, type PageMatch } from './match-page.ts'
import { type PageContext, readIfAllowed, readPageContext } from './page-context.ts'
import { askOf, askOfPage, loadPage, type PageRequest } from './page-request.ts'
import { mayRun } from './permissions.ts'
import { Router } from './router.ts'
import { viewContextOf } from './view-context.ts'

/** What else is known about a page to show. */
interface RenderOptions {
  readonly status?: number | undefined
  readonly view?: ViewContext
  /** The form that the page's command describes, if the address does not. */
  readonly draft?: FormDraft | undefined
}

/** One panel's pages, as areas declare them. */
export class Pages {
  readonly screens: Screens
  readonly panel: PanelName
  readonly signIn: SignInPages
  readonly ran = new LastCommands()
  readonly map = once(async () => new Router(await this.screens.declared()))

  constructor(screens: Screens, panel: PanelName) {
    this.screens = screens
    this.panel = panel
    this.signIn = new SignInPages(screens, panel)
  }

  async get(c: C): Promise<Response> {
    const match = await this.matchOf(c)
    const request = await serve(this.screens, c, this.panel)
    return this.enter(request, match, (page) => this.#show(page))
  }

  /** Answers for a place once no prior step is required; renders a refusal as a page. */
  async enter(
    request: PanelRequest,
    match: PageMatch,
    answer: (page: PageRequest) => Promise<Response>,
  ): Promise<Response> {
    return (await this.signIn.gate(request)) ?? this.guarded(request, match, answer)
  }

  async matchOf(c: C): Promise<PageMatch> {
    const match = matchPage(await this.map(), this.panel, new URL(c.req.url).pathname)
    if (!match) throw new Problem('not-found', 'There is no page at this address.')
    return match
  }

  async #show(page: PageRequest): Promise<Response> {
    const requested = page.query.get('do')
    const file = await fileOf(page)
    if (file) return file
    const rawResponse = await this.#rawResponse(page)
    if (rawResponse) return rawResponse
    const typed = draftIn(page)
    if (requested !== null && !typed) throw notFound('action')
    const item = itemIn(page.query)
    const isRequested = typed && (asksFirst(typed.op) || item !== undefined)
    const done = await doneIn(page)
    const view = await viewContextOf(page, { ...done, typed: isRequested ? undefined : typed })
    if (!typed || !isRequested) return this.#view(page, view)
    return this.render(page, () => confirmation(view, typed.op, item), { view })
  }

  /** Requests for the command alone: its bar, or the file that it needs. */
  async #rawResponse(page: PageRequest): Promise<Response | undefined> {
    const { c } = page.request
    if (page.query.get('say') === 'data') return this.changes(page, this.ran.of(page.request)?.panel?.data)
    if (requestedFragment(c) !== 'say') return undefined
    const bar = await commandBar(page)
    return fragment(this.screens, c, bar)
  }

  /** The file that a command needs: from what was run, or what is typed. */
  async changes(page: PageRequest, ran: string | undefined, draft?: FormDraft): Promise<Response> {
    return download(this.screens, 'changes.json', ran ?? (await changesOf(page, draft)))
  }

  #view(page: PageRequest, view: ViewContext): Promise<Response> {
    const { c } = page.request
    const render = inLanguageOf(c, () => renderView(view))
    const part = requestedFragment(c)
    return part === undefined
      ? this.render(page, () => render, { view })
      : fragmentOf(this.screens, c, part, render, view)
  }

  /** Answers for a place, or renders the refusal as a page. */
  async guarded(
    request: PanelRequest,
    match: PageMatch,
    answer: (page: PageRequest) => Promise<Response>,
  ): Promise<Response> {
    let context: PageContext = {}
    try {
      context = await readPageContext(request, match)
      if (this.panel === 'user') speak(request.c, context.account?.locale)
      return await answer(await loadPage(request, await this.map(), match, context))
    } catch (error) {
      if (isSuspended(error) && this.panel === 'user') return this.signIn.suspended(request)
      if (!(error instanceof Problem)) throw error
      return this.refused(request, match, context, error)
    }
  }

  async refused(request: PanelRequest, match: PageMatch, context: PageContext, problem: Problem): Promise<Response> {
    const map = await this.map()
    const { tabs: _, ...frame } = inLanguageOf(request.c, () => frameOf(request, map, match, context, problem.message))
    const body = <Refused problem={problem} home={`/${this.panel}/`} />
    return this.#document(
      request,
      <Document {...frame} titles={[problem.message]}>
        {body}
      </Document>,
      problem.status,
      { ...problem.headers, ...reloaded(request, problem) },
    )
  }

  /** Renders a page in the visit's language, with the equivalent command at its foot. */
  async render(
    pageRequest: PageRequest,
    make: () => PageView,
    { status = 200, view, draft }: RenderOptions = {},
  ): Promise<Response> {
    const { request, match, context, map } = pageRequest
    const say = await commandBar(pageRequest, draft, this.ran.of(request), view)
    const render = inLanguageOf(request.c, make)
    const { tabs, ...frame } = inLanguageOf(request.c, () => frameOf(request, map, match, context, render.title))
    const page = (
      <Document {...frame} say={say}>
        {view?.done ? <Flash done={view.done} view={view} /> : null}
        {view && goesOn(render, view) ? <Followed view={view} live={render.live} /> : null}
        <FormError of={view?.refusal} />
        <Page {...render} tabs={tabs} />
      </Document>
    )
    return this.#document(request, page, status, NO_CACHE)
  }

  #document(
    { c }: PanelRequest,
    node: Child,
    status: number,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    return html(this.screens, c, node, status, { ...NO_CACHE, ...headers })
  }
}

/** What a page needs is being prepared: the browser asks again by itself. */
function reloaded({ c }: PanelRequest, { code, headers }: Problem): Readonly<Record<string, string>> {
  const after = headers['Retry-After']
  return code === 'busy' && after !== undefined && c.req.method === 'GET' ? { Refresh: after } : {}
}

/** The page's content as a file to save: a list as CSV, the raw bytes, or a file made from it. */
async function fileOf(page: PageRequest): Promise<Response | undefined> {
  const { screen } = page.match
  const made = lookupOwn(screen.files ?? {}, page.query.get('file') ?? '')
  if (made) return madeOf(page, made)
  const format = page.query.get('format')
  if (format === 'csv') return csvOf(page)
  if (format === 'log' && screen.since === 'log_after') return logOf(page)
  const { raw }: Declaration = operations[screen.shows]
  if (format !== 'file' || raw !== 'answer') return undefined
  return savedAs(page.request, screen.shows, askOfPage(page))
}

async function madeOf(page: PageRequest, make: (data: Answered) => { name: string; text: string }): Promise<Response> {
  const { request, match } = page
  const { name, text } = make(await read(request, match.screen.shows, askOf(page, match.screen.shows, undefined)))
  return download(request.screens, name, text)
}

/** What was just done, if the visit comes from the panel itself. */
async function doneIn({ request, match, query, context, map }: PageRequest): Promise<{ done?: Done }> {
  const op = query.get('done')
  if (op === null) return {}
  const act = actTo(map, request, match, op)
  if (!act || !isSameOrigin(request.c) || !mayRun(op as OperationId, request.session)) return {}
  const id = query.get('job') ?? ''
  const job: Answered = isId(id) ? await jobOf(request, id, context.accountId) : undefined
  const undo = unpackUndo(query.get('undo'))
  return {
    done: { text: act.done, ...(job && { job }), ...(undo && { undo }), ...(act.undoWith && { back: act.undoWith }) },
  }
}

function jobOf(request: PanelRequest, id: string, account: string | undefined): Promise<Answered> {
  return account
    ? readIfAllowed(request, 'getJobForAccount', { params: { id: account, jid: id } })
    : readIfAllowed(request, 'getJob', { params: { id } })
}

/** The act that redirected to this page. */
function actTo(map: Router, { panel }: PanelRequest, match: PageMatch, op: string | null): Action | undefined {
  const leading = [match.screen, ...map.screens].find(
    (screen) => (screen.only ?? panel) === panel && leadsTo(screen, op ?? '', match),
  )
  return leading?.acts?.[op as OperationId]
}

function leadsTo(screen: Screen, op: string, match: PageMatch): boolean {
  if (!screen.acts || !Object.hasOwn(screen.acts, op)) return false
  const { to } = screen.acts[op as OperationId]!
  if (screen === match.screen) return true
  return typeof to === 'string' && isAt(sideOf(screen) === 'server' ? '/admin' : match.base, to, match)
}

/** Whether a page matches a pattern such as `/ftp/{login}` below a base. */
function isAt(base: string, path: string, { base: own, below }: PageMatch): boolean {
  const address = `${own}${below}`.replace(/\/$/, '')
  if (!address.startsWith(base)) return false
  const pattern = path.replace(/\{\w+(\.\.\.)?\}/g, '.+').replace(/\/$/, '')
  return new RegExp(`^${pattern}$`).test(address.slice(base.length))
}
