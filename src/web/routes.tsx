import { buffer } from 'node:stream/consumers'
import { Hono } from 'hono'
import { raw } from 'hono/html'
import { notFound, Problem, type ProblemCode, problems } from '../contract/problem.ts'
import type { PanelName } from '../contract/sessions.ts'
import { once } from '../shared/once.ts'
import { answerConsent, consentPage } from './agents/consent.tsx'
import { answerTicket, ticketPage } from './agents/tickets.tsx'
import { submitForm } from './forms/submit-form.tsx'
import { hasFile, receiveUpload } from './forms/upload-form.ts'
import { type Asset, assets } from './http/assets.ts'
import { live, pagesAlone } from './http/live.ts'
import { html, redirect } from './http/responses.ts'
import { display, setDisplay } from './pages/display-preferences.tsx'
import { branded } from './pages/frame/branded.tsx'
import { Pages } from './pages/pages.tsx'
import { ErrorPage, Explanation, LinkEnded } from './pages/plain-pages.tsx'
import { type C, json, type Screens } from './panel-request.ts'
import { Reference } from './reference/page.tsx'
import { search } from './search/page.tsx'
import { ConfirmPages } from './sign-in/confirm-channel.tsx'
import { ForgottenPages } from './sign-in/forgotten.tsx'
import { AUTHORIZE_PATH, SignInPages } from './sign-in/sign-in.tsx'

// biome-ignore lint/suspicious/noExplicitAny: the environment is the server's affair
type WebApp = Hono<any>

/** The pages for people: sign-in, the areas' screens, the reference and files; and error pages. */
export const createScreens = (screens: Screens) => ({
  routes: routesOf(screens),
  errorPage: (c: C, problem: Problem) => errorPage(screens, c, problem),
  /** For a browser that opened an expired link. */
  linkEnded: (c: C) => branded(screens, c, <LinkEnded server={screens.server} />, 401),
})

/** Errors are thrown: the server answers them, as for the API. */
function routesOf(screens: Screens): WebApp {
  const web: WebApp = new Hono()
  const front = new SignInPages(screens, 'user')
  web.get('/', (c) => front.front(c))
  web.post('/', (c) => front.signIn(c, true))
  const forgotten = new ForgottenPages(screens)
  web.get('/forgot-password', (c) => forgotten.form(c))
  web.post('/forgot-password', (c) => forgotten.request(c))
  web.get('/reset-password', (c) => forgotten.choose(c))
  web.post('/reset-password', (c) => forgotten.replace(c))
  const confirmed = new ConfirmPages(screens)
  web.get('/confirm-channel', (c) => confirmed.form(c))
  web.post('/confirm-channel', (c) => confirmed.confirm(c))
  web.get(AUTHORIZE_PATH, (c) => consentPage(screens, c))
  web.post(AUTHORIZE_PATH, (c) => answerConsent(screens, c))
  web.get('/assets/brand/:sha256', (c) => logo(c, screens))
  web.get('/assets/:name', (c) => file(c, screens))
  web.get('/problems/:code', (c) => explanation(screens, c, c.req.param('code')))
  mountReference(web, screens)
  for (const panel of ['admin', 'user'] as const) mount(web, panel, new Pages(screens, panel))
  web.notFound(() => {
    throw new Problem('not-found', 'There is no page at this address.')
  })
  web.onError((error) => {
    throw error
  })
  return web
}

const forever = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' } as const

/** An immutable file: changed content gets another name. */
function file(c: C, screens: Screens): Response {
  const found = [...assets().values()].find(({ address }) => address === c.req.path)
  if (!found) throw notFound('file')
  const takes = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
  const headers = { ...screens.headers, ...forever, 'Content-Type': found.type }
  return takes ? packedFile(found, headers) : new Response(found.text, { headers })
}

/** A logo, named after its hash. The headers allow it only as an image. */
async function logo(c: C, screens: Screens): Promise<Response> {
  const { headers, stream } = await screens.perform(c, 'getBrandLogo', {
    query: { sha256: c.req.param('sha256') ?? '' },
  })
  const bytes = await buffer(stream!)
  const safe = { 'Content-Security-Policy': 'sandbox', ...forever }
  return new Response(new Uint8Array(bytes), { headers: { ...screens.headers, ...headers, ...safe } })
}

const packedFile = ({ packed }: Asset, headers: Readonly<Record<string, string>>): Response =>
  new Response(new Uint8Array(packed), { headers: { ...headers, 'Content-Encoding': 'gzip' } })

/** The API reference, rendered on the first visit. */
function mountReference(web: WebApp, screens: Screens): void {
  const page = once(async (c: C) =>
    String(<Reference server={screens.server} from={json(await screens.perform(c, 'getOpenApi'))} />),
  )
  web.get('/docs', async (c) => html(screens, c, raw(await page(c))))
}

function mount(web: WebApp, panel: PanelName, pages: Pages): void {
  web.get(`/${panel}`, () => redirect(pages.screens, `/${panel}/`, 302))
  for (const [method, path, answer] of allRoutes(pages)) web.on(method, `/${panel}${path}`, answer)
  const alone = pagesAlone((c) => pages.get(c))
  for (const kind of ['approve', 'reveal'] as const) {
    web.get(`/${panel}/${kind}/:id`, (c) => ticketPage(pages, c, kind))
    web.post(`/${panel}/${kind}/:id`, (c) => answerTicket(pages, c, kind))
  }
  web.get(`/${panel}/live/*`, (c) => live(alone, pages.screens, c, panel))
  web.all(`/${panel}/*`, (c) => atPage(pages, c))
}

type Route = readonly [method: 'GET' | 'POST', path: string, answer: (c: C) => Promise<Response> | Response]

/** Sign-in, sign-out, and other pages that no area declares. */
const allRoutes = (pages: Pages): readonly Route[] => [
  ['GET', '/login', (c) => pages.signIn.form(c)],
  ['POST', '/login', (c) => pages.signIn.signIn(c)],
  ['POST', '/login/code', (c) => pages.signIn.complete(c)],
  ['POST', '/login/passkey', (c) => pages.signIn.usePasskey(c)],
  ['POST', '/login/passkey/start', (c) => pages.signIn.startPasskey(c)],
  ['POST', '/confirm/passkey/start', (c) => pages.signIn.startPasskeyConfirm(c)],
  ['GET', '/logout', (c) => pages.signIn.leave(c)],
  ['POST', '/logout', (c) => pages.signIn.signOut(c, (session) => pages.ran.forget(session))],
  ['POST', '/switch', (c) => pages.signIn.switch(c)],
  ['POST', '/password', (c) => pages.signIn.changePassword(c)],
  ['POST', '/two-factor', (c) => pages.signIn.enable(c)],
  ['POST', '/two-factor/key', (c) => pages.signIn.setUp(c)],
  ['POST', '/confirm', (c) => pages.signIn.confirm(c)],
  ['POST', '/stay', (c) => pages.signIn.stay(c)],
  ['GET', '/display', (c) => display(pages, c)],
  ['POST', '/display', (c) => setDisplay(pages, c)],
  ['GET', '/search', (c) => search(pages, c)],
]

/** An area's page; 405 for methods that no page accepts. */
async function atPage(pages: Pages, c: C): Promise<Response> {
  const { method } = c.req.raw
  const below = c.req.path.slice(pages.panel.length + 1)
  const routes = allRoutes(pages).filter(([, path]) => path === below)
  if (routes.length > 0) throw notTaken(routes.map(([taken]) => taken))
  if (method === 'GET' || method === 'HEAD') return pages.get(c)
  if (method === 'POST') return hasFile(c) ? receiveUpload(pages, c) : submitForm(pages, c)
  await pages.matchOf(c)
  throw notTaken(['GET', 'POST'])
}

function notTaken(methods: readonly string[]): Problem {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  return new Problem('method-not-allowed', `This page takes ${allow}.`, undefined, { Allow: allow })
}

/** For a browser whose request failed. */
async function errorPage(screens: Screens, c: C, problem: Problem): Promise<Response> {
  const panel = c.req.path.startsWith('/admin') ? 'admin' : 'user'
  const page = <ErrorPage server={screens.server} panel={panel} problem={problem} />
  // The failure may be the store's, which brands are read from.
  const plain = () => html(screens, c, page, problem.status, problem.headers)
  return problem.status === 500 ? plain() : branded(screens, c, page, problem.status, problem.headers).catch(plain)
}

/** Explains a problem code: the page that a problem's `type` links to. */
function explanation(screens: Screens, c: C, code: string): Promise<Response> {
  if (!Object.hasOwn(problems, code)) return errorPage(screens, c, notFound('code'))
  const { title, status } = problems[code as ProblemCode]
  return html(screens, c, <Explanation server={screens.server} title={title} code={code} status={status} />)
}
