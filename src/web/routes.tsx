import { type Context, Hono } from 'hono'
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { OperationId } from '../contract/index.ts'
import { notFound, Problem, type ProblemCode, problems } from '../contract/problem.ts'
import type { Answer } from '../runtime/run.ts'
import { ConfirmPassword, NewPassword, RecoveryCodes, SecondFactor, SetUpSecondFactor, SignIn } from './forms.tsx'
import { AdminHome, CustomerHome } from './home.tsx'
import { ErrorPage, Explanation, LinkEnded, Suspended } from './notice.tsx'
import { Reference } from './reference/page.tsx'
import { referenceStyle } from './reference/style.ts'
import { style } from './style.ts'

type Panel = 'admin' | 'user'
// biome-ignore lint/suspicious/noExplicitAny: the environment is the server's affair; answers were checked against the contract
type Any = any

interface Ask {
  readonly params?: Record<string, string>
  readonly query?: Record<string, string>
  readonly body?: Record<string, unknown>
  readonly csrf?: string
}

/** How screens reach operations: the same run() as every other caller. */
export interface Screens {
  readonly server: string
  /** On every screen, beside its own content policy. */
  readonly headers: Readonly<Record<string, string>>
  /** The account whose customer session came, if one did. */
  accountOf(c: Context<Any>): string | undefined
  /** The fields that a form sent. Throws a Problem where it is none, or too large. */
  form(c: Context<Any>, panel: Panel): Promise<Readonly<Record<string, string>>>
  /** Runs an operation as the caller. Throws a Problem. */
  perform(c: Context<Any>, id: OperationId, ask?: Ask): Promise<Answer>
}

const policy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const ids = {
  admin: {
    session: 'getSession',
    signIn: 'signIn',
    complete: 'completeSignIn',
    signOut: 'signOut',
    password: 'changeOwnPassword',
    setUp: 'setUpTotp',
    enable: 'enableTotp',
    confirm: 'confirmPassword',
  },
  user: {
    session: 'getUserSession',
    signIn: 'signInUser',
    complete: 'completeSignInUser',
    signOut: 'signOutUser',
    password: 'changeOwnUserPassword',
    setUp: 'setUpTotpUser',
    enable: 'enableTotpUser',
    confirm: 'confirmUserPassword',
  },
} as const satisfies Record<Panel, Record<string, OperationId>>

/** The pages a person meets: sign-in, where one lands, and notices. */
export function createScreens(screens: Screens): Hono<Any> {
  const web = new Hono<Any>()
  web.get('/', () => redirect(screens, '/user/', 302))
  web.get('/assets/panel.css', (c) => stylesheet(c, screens, style))
  mountReference(web, screens)
  for (const panel of ['admin', 'user'] as const) mount(web, panel, new Screen(screens, panel))
  return web
}

const stylesheet = (c: Context<Any>, screens: Screens, text: string): Response =>
  c.body(text, 200, {
    ...screens.headers,
    'Content-Type': 'text/css; charset=utf-8',
    'Cache-Control': 'max-age=3600',
  })

/** The reference of the API, rendered at the first visit. */
function mountReference(web: Hono<Any>, screens: Screens): void {
  let page: Promise<string> | undefined
  const render = async (c: Context<Any>): Promise<string> =>
    `${await (<Reference server={screens.server} from={json(await screens.perform(c, 'getOpenApi'))} />)}`
  web.get('/assets/reference.css', (c) => stylesheet(c, screens, referenceStyle))
  web.get('/docs', async (c) => {
    page ??= render(c).catch((error: unknown) => {
      page = undefined
      throw error
    })
    return html(screens, raw(await page))
  })
}

function mount(web: Hono<Any>, panel: Panel, screen: Screen): void {
  web.get(`/${panel}`, () => screen.toHome())
  web.get(`/${panel}/`, (c) => screen.home(c))
  web.get(`/${panel}/login`, () => screen.signInForm())
  web.post(`/${panel}/login`, (c) => screen.signIn(c))
  web.post(`/${panel}/login/code`, (c) => screen.complete(c))
  web.post(`/${panel}/logout`, (c) => screen.signOut(c))
  web.post(`/${panel}/password`, (c) => screen.changePassword(c))
  web.post(`/${panel}/two-factor`, (c) => screen.enable(c))
  web.post(`/${panel}/confirm`, (c) => screen.confirm(c))
}

class Screen {
  readonly #screens: Screens
  readonly #panel: Panel
  constructor(screens: Screens, panel: Panel) {
    this.#screens = screens
    this.#panel = panel
  }

  toHome(): Response {
    return redirect(this.#screens, `/${this.#panel}/`, 302)
  }

  signInForm(error?: string, status = 200, username?: string): Promise<Response> {
    return this.#html(<SignIn {...this.#common} error={error} username={username} />, status)
  }

  async signIn(c: Context<Any>): Promise<Response> {
    const { username, password } = await this.#fields(c)
    try {
      const answer = await this.#screens.perform(c, ids[this.#panel].signIn, { body: { username, password } })
      if (json(answer).mfa_required) return this.#html(<SecondFactor {...this.#common} />, 200, answer.headers)
      return this.#redirect(`/${this.#panel}/`, answer.headers)
    } catch (error) {
      return this.signInForm(sentence(error), statusOf(error), username)
    }
  }

  async complete(c: Context<Any>): Promise<Response> {
    const { code } = await this.#fields(c)
    try {
      const answer = await this.#screens.perform(c, ids[this.#panel].complete, { body: { code: code?.trim() } })
      return this.#redirect(`/${this.#panel}/`, answer.headers)
    } catch (error) {
      return this.#html(<SecondFactor {...this.#common} error={sentence(error)} />, statusOf(error))
    }
  }

  async signOut(c: Context<Any>): Promise<Response> {
    const csrf = (await this.#fields(c)).csrf_token ?? ''
    try {
      const answer = await this.#screens.perform(c, ids[this.#panel].signOut, { csrf })
      return this.#redirect(`/${this.#panel}/login`, answer.headers)
    } catch (error) {
      return this.#signInFirst(error)
    }
  }

  /** Whoever is not signed in any more begins anew. */
  #signInFirst(error: unknown): Response {
    if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error
    return this.#redirect(`/${this.#panel}/login`)
  }

  async home(c: Context<Any>): Promise<Response> {
    const session = json(await this.#screens.perform(c, ids[this.#panel].session))
    if (session.mfa_required) return this.#html(<SecondFactor {...this.#common} />)
    if (!session.authenticated) return this.#redirect(`/${this.#panel}/login`)
    try {
      return await this.#landing(c, session)
    } catch (error) {
      return this.#refused(error, session)
    }
  }

  async #landing(c: Context<Any>, session: Any): Promise<Response> {
    const own = { ...this.#common, csrf: session.csrf_token, name: session.username }
    if (session.force_password_change) return this.#html(<NewPassword {...own} />)
    if (session.two_factor_setup_required) return this.#setUp(c, own)
    return this.#panel === 'user' ? this.#customer(c, session) : this.#admin(c, session)
  }

  async #customer(c: Context<Any>, session: Any): Promise<Response> {
    const params = { id: this.#screens.accountOf(c) ?? '' }
    const account = json(await this.#screens.perform(c, 'getAccount', { params, csrf: session.csrf_token }))
    const usage = json(await this.#screens.perform(c, 'getAccountUsage', { params, csrf: session.csrf_token }))
    return this.#html(<CustomerHome server={this.#screens.server} session={session} account={account} usage={usage} />)
  }

  async #admin(c: Context<Any>, session: Any): Promise<Response> {
    const sees = session.is_root || session.acl?.some((name: string) => name === 'list-accts' || name === 'all')
    const ask = { query: { per_page: '1' }, csrf: session.csrf_token }
    const accounts = sees ? json(await this.#screens.perform(c, 'listAccounts', ask)).total : undefined
    return this.#html(<AdminHome server={this.#screens.server} session={session} accounts={accounts} />)
  }

  async #setUp(c: Context<Any>, own: Own): Promise<Response> {
    try {
      const { secret, uri } = json(await this.#screens.perform(c, ids[this.#panel].setUp, { csrf: own.csrf }))
      return await this.#html(<SetUpSecondFactor {...own} secret={secret} uri={uri} />)
    } catch (error) {
      if (!unconfirmed(error)) throw error
      return this.#html(<ConfirmPassword {...own} />)
    }
  }

  async confirm(c: Context<Any>): Promise<Response> {
    const { csrf_token: csrf = '', password } = await this.#fields(c)
    const own = await this.#own(c)
    if (!own) return this.#redirect(`/${this.#panel}/login`)
    try {
      await this.#screens.perform(c, ids[this.#panel].confirm, { body: { password }, csrf })
      return this.#redirect(`/${this.#panel}/`)
    } catch (error) {
      return this.#html(<ConfirmPassword {...own} error={sentence(error)} />, statusOf(error))
    }
  }

  async enable(c: Context<Any>): Promise<Response> {
    const sent = await this.#fields(c)
    const own = await this.#own(c)
    if (!own) return this.#redirect(`/${this.#panel}/login`)
    try {
      const answer = await this.#screens.perform(c, ids[this.#panel].enable, {
        body: { code: sent.code?.trim() },
        csrf: sent.csrf_token ?? '',
      })
      return this.#html(<RecoveryCodes {...own} codes={json(answer).recovery_codes} />)
    } catch (error) {
      const again = { secret: sent.secret ?? '', uri: sent.uri?.startsWith('otpauth:') ? sent.uri : '' }
      return this.#html(<SetUpSecondFactor {...own} {...again} error={sentence(error)} />, statusOf(error))
    }
  }

  async changePassword(c: Context<Any>): Promise<Response> {
    const { csrf_token: csrf = '', current_password, new_password } = await this.#fields(c)
    const own = await this.#own(c)
    if (!own) return this.#redirect(`/${this.#panel}/login`)
    try {
      const change = () =>
        this.#screens.perform(c, ids[this.#panel].password, { body: { current_password, new_password }, csrf })
      await change().catch(async (error: unknown) => {
        if (!unconfirmed(error)) throw error
        await this.#screens.perform(c, ids[this.#panel].confirm, { body: { password: current_password }, csrf })
        return change()
      })
      return this.#redirect(`/${this.#panel}/`)
    } catch (error) {
      return this.#html(<NewPassword {...own} error={sentence(error)} />, statusOf(error))
    }
  }

  async #own(c: Context<Any>): Promise<Own | undefined> {
    const session = json(await this.#screens.perform(c, ids[this.#panel].session))
    return session.authenticated ? { ...this.#common, csrf: session.csrf_token, name: session.username } : undefined
  }

  #refused(error: unknown, session: Any): Promise<Response> {
    if (!(error instanceof Problem) || error.code !== 'account-suspended') throw error
    return this.#html(<Suspended {...this.#common} csrf={session.csrf_token} name={session.username} />, 403)
  }

  #fields(c: Context<Any>): Promise<{ readonly [F in Field]?: string }> {
    return this.#screens.form(c, this.#panel)
  }

  #html(node: Child, status = 200, headers: Record<string, string> = {}): Promise<Response> {
    return html(this.#screens, node, status, headers)
  }

  #redirect(to: string, headers: Record<string, string> = {}): Response {
    return redirect(this.#screens, to, 303, headers)
  }

  get #common() {
    return { server: this.#screens.server, panel: this.#panel }
  }
}

interface Own {
  readonly server: string
  readonly panel: Panel
  readonly csrf: string
  readonly name: string
}

const redirect = (screens: Screens, to: string, status: 302 | 303, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers: { ...screens.headers, ...headers, Location: to } })

const json = (answer: Answer): Any => JSON.parse(answer.json?.toString() ?? 'null')

type Field = 'username' | 'password' | 'code' | 'csrf_token' | 'current_password' | 'new_password' | 'secret' | 'uri'

/** What is wrong, with each field as its label calls it. */
const sentence = (error: unknown): string => {
  if (!(error instanceof Problem)) throw error
  if (!error.fields) return error.detail ?? problems[error.code].title
  return Object.entries(error.fields)
    .map(([field, fault]) => `${labels[field] ?? field} ${fault}.`)
    .join(' ')
}

const labels: Readonly<Record<string, string>> = {
  username: 'The username',
  password: 'The password',
  code: 'The code',
  current_password: 'The current password',
  new_password: 'The new password',
}

const unconfirmed = (error: unknown): boolean => error instanceof Problem && error.code === 'confirm-password'

const statusOf = (error: unknown): number => (error instanceof Problem ? error.status : 500)

/**
 * A screen with policies of its own: the API's forbid styles and forms, and without a referrer browsers send
 * `Origin: null` with a form, which looks the same as a page of another site.
 */
async function html(
  screens: Screens,
  node: Child,
  status = 200,
  headers: Record<string, string> = {},
): Promise<Response> {
  const all = {
    ...screens.headers,
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'same-origin',
    'Content-Type': 'text/html; charset=utf-8',
    ...headers,
  }
  return new Response(`<!doctype html>${await node}`, { status, headers: all })
}

/** For a browser that opened a link which no longer works. */
export const linkEnded = (screens: Screens): Promise<Response> =>
  html(screens, <LinkEnded server={screens.server} />, 401)

/** For a browser whose request a screen could not answer. */
export const errorPage = (screens: Screens, problem: Problem, path: string): Promise<Response> => {
  const panel = path.startsWith('/admin') ? 'admin' : 'user'
  const { title } = problems[problem.code]
  return html(
    screens,
    <ErrorPage server={screens.server} panel={panel} title={title} detail={problem.detail} />,
    problem.status,
  )
}

/** What a code means: the page that a problem's `type` links to. */
export function explanation(screens: Screens, code: string): Promise<Response> {
  if (!Object.hasOwn(problems, code)) return errorPage(screens, notFound('code'), '/')
  const { title, status } = problems[code as ProblemCode]
  return html(screens, <Explanation server={screens.server} title={title} code={code} status={status} />)
}
