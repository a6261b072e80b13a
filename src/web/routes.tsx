import { buffer } from 'node:stream/consumers'
import { Hono } from 'hono'
import { raw } from 'hono/html'
import { notFound, type Problem, type ProblemCode, problems } from '../contract/problem.ts'
import type { PanelName } from '../contract/sessions.ts'
import { html, redirect } from './answers.ts'
import { type Asset, assets } from './assets.ts'
import { live, pagesAlone } from './live.ts'
import { ErrorPage, Explanation, LinkEnded } from './notice.tsx'
import { Pages } from './pages.tsx'
import { post } from './posting.tsx'
import { bringsFile, receive } from './receiving.ts'
import { Reference } from './reference/page.tsx'
import { search } from './search/page.tsx'
import { type C, json, type Screens } from './served.ts'

export type { Ask, Screens } from './served.ts'

// biome-ignore lint/suspicious/noExplicitAny: the environment is the server's affair
type App = Hono<any>

/** The pages a person meets: sign-in, what areas declare, the reference, and files. */
export function createScreens(screens: Screens): App {
  const web: App = new Hono()
  web.get('/', () => redirect(screens, '/user/', 302))
  web.get('/assets/brand/:sha256', (c) => logo(c, screens))
  web.get('/assets/:name', (c) => file(c, screens))
  mountReference(web, screens)
  for (const panel of ['admin', 'user'] as const) mount(web, panel, new Pages(screens, panel))
  return web
}

const forever = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' } as const

/** A file that never changes: another content has another name. */
function file(c: C, screens: Screens): Response {
  const found = [...assets().values()].find(({ address }) => address === c.req.path)
  if (!found) throw notFound('file')
  const takes = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
  const headers = { ...screens.headers, ...forever, 'Content-Type': found.type }
  return takes ? packedFile(found, headers) : new Response(found.text, { headers })
}

/** A logo, which has its hash for a name. It is shown as an image and as nothing else. */
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

/** The reference of the API, rendered at the first visit. */
function mountReference(web: App, screens: Screens): void {
  let page: Promise<string> | undefined
  const render = async (c: C): Promise<string> =>
    `${await (<Reference server={screens.server} from={json(await screens.perform(c, 'getOpenApi'))} />)}`
  web.get('/docs', async (c) => {
    page ??= render(c).catch((error: unknown) => {
      page = undefined
      throw error
    })
    return html(screens, c, raw(await page))
  })
}

function mount(web: App, panel: PanelName, pages: Pages): void {
  const { signIn } = pages
  web.get(`/${panel}`, () => redirect(pages.screens, `/${panel}/`, 302))
  web.get(`/${panel}/login`, (c) => signIn.form(c))
  web.post(`/${panel}/login`, (c) => signIn.signIn(c))
  web.post(`/${panel}/login/code`, (c) => signIn.complete(c))
  web.post(`/${panel}/logout`, (c) => signIn.signOut(c))
  web.post(`/${panel}/password`, (c) => signIn.changePassword(c))
  web.post(`/${panel}/two-factor`, (c) => signIn.enable(c))
  web.post(`/${panel}/confirm`, (c) => signIn.confirm(c))
  web.get(`/${panel}/search`, (c) => search(pages, c))
  const alone = pagesAlone((c) => pages.get(c))
  web.get(`/${panel}/live/*`, (c) => live(alone, pages.screens, c))
  web.get(`/${panel}/*`, (c) => pages.get(c))
  web.post(`/${panel}/*`, (c) => (bringsFile(c) ? receive(pages, c) : post(pages, c)))
}

/** For a browser that opened a link which no longer works. */
export const linkEnded = (screens: Screens, c: C): Response =>
  html(screens, c, <LinkEnded server={screens.server} />, 401)

/** For a browser whose request a screen could not answer. */
export function errorPage(screens: Screens, c: C, problem: Problem): Response {
  const panel = c.req.path.startsWith('/admin') ? 'admin' : 'user'
  return html(screens, c, <ErrorPage server={screens.server} panel={panel} problem={problem} />, problem.status)
}

/** What a code means: the page that a problem's `type` links to. */
export function explanation(screens: Screens, c: C, code: string): Response {
  if (!Object.hasOwn(problems, code)) return errorPage(screens, c, notFound('code'))
  const { title, status } = problems[code as ProblemCode]
  return html(screens, c, <Explanation server={screens.server} title={title} code={code} status={status} />)
}
