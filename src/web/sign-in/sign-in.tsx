import type { Child } from 'hono/jsx'
import type { OperationId } from '../../contract/index.ts'
import { Problem } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { Answer } from '../../runtime/operations/run.ts'
import { isBelow } from '../../shared/safe-redirect.ts'
import { refuseCrossSite, unmaskToken } from '../http/csrf.ts'
import { html, NO_CACHE, redirect } from '../http/responses.ts'
import { addressOf, NOTICE_PARAMETERS } from '../kit/format/query.ts'
import { ownSignIn } from '../kit/forms/own-sign-in.ts'
import { credentialIn } from '../kit/forms/passkey.tsx'
import type { SessionView } from '../kit/screen.ts'
import { branded } from '../pages/frame/branded.tsx'
import { leftOf, userOf } from '../pages/frame/frame.tsx'
import { readIfAllowed } from '../pages/page-context.ts'
import { Suspended } from '../pages/plain-pages.tsx'
import { type C, type Input, json, type PanelRequest, type Screens, serve } from '../panel-request.ts'
import { isResetAvailable } from './forgotten.tsx'
import {
  BeginSecondFactor,
  Brand,
  ConfirmPassword,
  NewPassword,
  RecoveryCodes,
  SecondFactor,
  SetUpSecondFactor,
  SignIn,
  SignOut,
} from './forms.tsx'
import { sentence, statusOf } from './sentence.ts'

/** Where clients of AI agents send a person for consent. */
export const AUTHORIZE_PATH = '/oauth/authorize'

export const confirmOf = (panel: PanelName): OperationId => ownSignIn[panel].confirm

/** Where signing in leads: to the requested page, to a client that asks for consent, or home. */
const redirectAfterSignIn = (panel: PanelName, next: string | null | undefined): string => {
  const home = `/${panel}/`
  if (next?.startsWith(`${AUTHORIZE_PATH}?`) && isBelow(next, AUTHORIZE_PATH)) return next
  return next && isBelow(next, home) && !isSignInPath(next, home) ? withoutNotice(next) : home
}

/** Anyone may have made this address: it must not claim that something was done, or offer an undo. */
function withoutNotice(next: string): string {
  const { pathname, searchParams, hash } = new URL(next, 'https://panel.invalid')
  const noticeParameters = NOTICE_PARAMETERS.filter((name) => searchParams.has(name))
  for (const name of noticeParameters) searchParams.delete(name)
  return noticeParameters.length === 0 ? next : addressOf(pathname, searchParams) + hash
}

/** Never returns to a sign-in or sign-out page. */
const isSignInPath = (next: string, home: string): boolean =>
  ['login', 'logout'].some((page) => next.slice(home.length).split(/[/?#]/)[0] === page)

interface SignInFields {
  readonly next?: string | undefined
  readonly username?: string
  readonly error?: string
  /** Whether it stands at `/`. */
  readonly front?: boolean
}

const sessionEnded = 'Your session has ended. Sign in again, or open the link of your provider.'

/** Where an administrator goes on after acting as an account: the start page, or that of the account. */
const isOwnPage = /^\/admin\/(accounts\/[a-z0-9]{1,32})?$/

/** One panel's sign-in and sign-out pages, and the steps that a session must complete first. */
export class SignInPages {
  readonly #screens: Screens
  readonly #panel: PanelName
  constructor(screens: Screens, panel: PanelName) {
    this.#screens = screens
    this.#panel = panel
  }

  /** The sign-in form; redirects if already signed in. */
  async form(c: C): Promise<Response> {
    const next = c.req.query('next')
    const { session } = await serve(this.#screens, c, this.#panel)
    if (session.authenticated) return this.#redirect(redirectAfterSignIn(this.#panel, next))
    return this.#signIn(c, { next, ...(this.#hadSession(c) && !session.mfa_required && { error: sessionEnded }) })
  }

  /** Signing out removes the cookie; expiry does not. */
  #hadSession(c: C): boolean {
    return new RegExp(`(?:^|;\\s*)panel_${this.#panel}=.`).test(c.req.header('cookie') ?? '')
  }

  /** The form at `/`, for everyone; redirects visitors who are already signed in. */
  async front(c: C): Promise<Response> {
    for (const panel of ['admin', 'user'] as const) {
      const { session } = await serve(this.#screens, c, panel)
      if (session.authenticated) return redirect(this.#screens, `/${panel}/`, 302)
    }
    return this.#signIn(c, { front: true })
  }

  async #signIn(c: C, fields: SignInFields, status = 200) {
    const [reset, passkeys] = [await isResetAvailable(this.#screens, c), await this.#hasPasskeys(c)]
    const offered = { host: this.#screens.origin.origin, reset, passkeys }
    return this.#html(c, <SignIn {...this.#step(fields.next)} {...fields} {...offered} />, status)
  }

  /** Whether passkeys work at this address. */
  #hasPasskeys(c: C): Promise<boolean> {
    const found = this.#run(c, 'startPasskeySignIn', { body: {} })
    return found.then(
      () => true,
      () => false,
    )
  }

  /** Signs in to whichever panel the name belongs to. */
  async signIn(c: C, front = false): Promise<Response> {
    const form = await this.#form(c)
    const [username, password, next] = [form.get('username'), form.get('password'), form.get('next') ?? undefined]
    try {
      const typed = { ...(username !== null && { username }), ...(password !== null && { password }) }
      const body = { ...typed, ...(!front && { panel: this.#panel }) }
      const answer = await this.#screens.perform(c, 'signInAnywhere', { body })
      const { panel, session } = json(answer) as { panel: PanelName; session: SessionView }
      const step = { ...this.#step(next), panel, passkey: session.passkey_offered }
      if (session.mfa_required) return this.#html(c, <SecondFactor {...step} />, 200, answer.headers)
      return this.#redirect(redirectAfterSignIn(panel, next), answer.headers)
    } catch (error) {
      if (isSuspended(error)) return this.#html(c, <Suspended server={this.#screens.server} />, 403)
      return this.#signIn(c, { error: sentence(error), username: username ?? '', next, front }, statusOf(error))
    }
  }

  /** What the browser is asked for when signing in: a script fetches it, as it expires. */
  async startPasskey(c: C): Promise<Response> {
    await this.#form(c)
    return this.#options(await this.#run(c, 'startPasskeySignIn', { body: {} }))
  }

  /** The same, when confirming. */
  startPasskeyConfirm(c: C): Promise<Response> {
    return this.#sent(c, async (_request, _form, csrf) =>
      this.#options(await this.#run(c, 'startPasskeyConfirm', { csrf })),
    )
  }

  #options({ json: body }: Answer): Response {
    const headers = { ...this.#screens.headers, ...NO_CACHE, 'Content-Type': 'application/json' }
    return new Response(String(body), { headers })
  }

  /** Signs in with a passkey: as the second factor if the password was given, else to whichever panel is its owner's. */
  async usePasskey(c: C): Promise<Response> {
    const form = await this.#form(c)
    const next = form.get('next') ?? undefined
    const { session } = await serve(this.#screens, c, this.#panel)
    try {
      const credential = credentialIn(form.get('credential'))
      const [panel, { headers }] = await this.#usePasskey(c, session, credential, form.has('front'))
      return this.#redirect(redirectAfterSignIn(panel, next), headers)
    } catch (error) {
      if (isSuspended(error)) return this.#html(c, <Suspended server={this.#screens.server} />, 403)
      const refused = { next, front: form.has('front'), error: sentence(error) }
      if (!session.mfa_required) return this.#signIn(c, refused, statusOf(error))
      const step = { ...this.#step(next), passkey: session.passkey_offered }
      return this.#html(c, <SecondFactor {...step} error={sentence(error)} />, statusOf(error))
    }
  }

  async #usePasskey(
    c: C,
    session: SessionView,
    credential: object,
    front: boolean,
  ): Promise<readonly [PanelName, Answer]> {
    if (session.mfa_required)
      return [this.#panel, await this.#run(c, 'completePasskeySignIn', { body: { credential } })]
    const body = { credential, ...(!front && { panel: this.#panel }) }
    const answer = await this.#screens.perform(c, 'completePasskeySignInAnywhere', { body })
    return [json(answer).panel, answer]
  }

  /** Opens the reseller's other panel. */
  switch(c: C): Promise<Response> {
    return this.#sent(c, async (_request, _form, csrf) => {
      const { headers } = await this.#run(c, 'switch', { csrf })
      return this.#redirect(this.#panel === 'admin' ? '/user/' : '/admin/', headers)
    })
  }

  async complete(c: C): Promise<Response> {
    const form = await this.#form(c)
    const { session } = await serve(this.#screens, c, this.#panel)
    const step = { ...this.#step(form.get('next') ?? undefined), passkey: session.passkey_offered }
    const enter = async (): Promise<Response> => {
      const { headers } = await this.#run(c, 'complete', { body: { code: form.get('code')?.trim() } })
      return this.#redirect(redirectAfterSignIn(this.#panel, step.next), headers)
    }
    return this.#attempt(c, enter, (error) => <SecondFactor {...step} error={error} />)
  }

  /** Confirms first: GET requests change nothing. */
  async leave(c: C): Promise<Response> {
    const request = await serve(this.#screens, c, this.#panel)
    if (!request.session.authenticated) return this.#redirect(this.#toSignIn(undefined))
    return this.#html(c, <SignOut {...this.#own(request)} />)
  }

  async signOut(c: C, ended: (session: string) => void): Promise<Response> {
    const form = await this.#form(c)
    try {
      const csrf = unmaskToken(form.get('csrf_token') ?? '')
      const { session } = await serve(this.#screens, c, this.#panel)
      const { headers } = await this.#run(c, 'signOut', { csrf })
      if (session.may_switch) await this.#signOutOfOther(c, session)
      ended(csrf)
      const next = form.get('to') ?? ''
      const to = isOwnPage.test(next) ? next : `/${this.#panel}/login`
      return this.#redirect(to, { ...headers, 'Clear-Site-Data': '"cache", "storage"' })
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error
      return this.#redirect(`/${this.#panel}/login`)
    }
  }

  /** A reseller who switched has a session in each panel. */
  async #signOutOfOther(c: C, own: SessionView): Promise<void> {
    const other = this.#panel === 'admin' ? 'user' : 'admin'
    const { session } = await serve(this.#screens, c, other)
    if (!session.may_switch || session.username !== own.username) return
    await this.#screens.perform(c, ownSignIn[other].signOut, { csrf: session.csrf_token })
  }

  /** The page shown instead of all others until a required step is done; undefined if there is none. */
  async gate(request: PanelRequest): Promise<Response | undefined> {
    const { session, c, url } = request
    const returnTo = c.req.method === 'GET' ? url : undefined
    const next = returnTo && returnTo.pathname !== `/${this.#panel}/` ? returnTo.pathname + returnTo.search : undefined
    if (session.mfa_required)
      return this.#html(c, <SecondFactor {...this.#step(next)} passkey={session.passkey_offered} />)
    if (!session.authenticated) return this.#redirect(this.#toSignIn(next))
    if (session.force_password_change) return this.#html(c, <NewPassword {...this.#own(request)} />)
    if (session.two_factor_setup_required) return this.#html(c, <BeginSecondFactor {...this.#own(request)} />)
    return undefined
  }

  #toSignIn(next: string | undefined): string {
    return `/${this.#panel}/login${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`
  }

  /** Creates a key; the previous one becomes invalid. */
  setUp(c: C): Promise<Response> {
    return this.#sent(c, async (request, _form, csrf) => {
      const own = this.#own(request)
      try {
        const { secret, uri } = json(await this.#run(c, 'setUp', { csrf }))
        return this.#html(c, <SetUpSecondFactor {...own} secret={secret} uri={uri} />)
      } catch (error) {
        if (isSuspended(error)) return this.suspended(request)
        if (!unconfirmed(error)) throw error
        return this.#html(c, <ConfirmPassword {...own} />)
      }
    })
  }

  /** Typing extends the session: returns its remaining time in milliseconds. */
  stay(c: C): Promise<Response> {
    return this.#sent(c, async (request, _form, csrf) => {
      if (csrf !== request.session.csrf_token) throw new Problem('csrf')
      await this.#run(c, 'sessions', { csrf })
      const headers = { ...this.#screens.headers, 'Content-Type': 'text/plain; charset=utf-8' }
      return new Response(String(leftOf(request)), { headers })
    })
  }

  /** The fields of one of these pages' forms; refuses other sites'. */
  #form(c: C): Promise<URLSearchParams> {
    refuseCrossSite(c)
    return this.#screens.form(c, this.#panel)
  }

  /** Handles a form that a signed-in user submitted. */
  async #sent(c: C, act: (request: PanelRequest, form: URLSearchParams, csrf: string) => Promise<Response>) {
    const form = await this.#form(c)
    const request = await serve(this.#screens, c, this.#panel)
    if (!request.session.authenticated) return this.#redirect(this.#toSignIn(undefined))
    return act(request, form, unmaskToken(form.get('csrf_token') ?? ''))
  }

  confirm(c: C): Promise<Response> {
    return this.#sent(c, (request, form, csrf) => {
      const confirm = async (): Promise<Response> => {
        await this.#run(c, 'confirm', { body: { password: form.get('password') ?? undefined }, csrf })
        return this.#redirect(`/${this.#panel}/`)
      }
      return this.#attempt(c, confirm, (error) => <ConfirmPassword {...this.#own(request)} error={error} />)
    })
  }

  enable(c: C): Promise<Response> {
    return this.#sent(c, (request, form, csrf) => {
      const own = this.#own(request)
      const uri = form.get('uri') ?? ''
      const key = { secret: form.get('secret') ?? '', uri: uri.startsWith('otpauth:') ? uri : '' }
      const enable = async (): Promise<Response> => {
        const answer = await this.#run(c, 'enable', { body: { code: form.get('code')?.trim() }, csrf })
        return this.#html(c, <RecoveryCodes {...own} codes={json(answer).recovery_codes} />)
      }
      return this.#attempt(c, enable, (error) => <SetUpSecondFactor {...own} {...key} error={error} />)
    })
  }

  changePassword(c: C): Promise<Response> {
    return this.#sent(c, (request, form, csrf) => {
      const current_password = form.get('current_password') ?? undefined
      const body = { current_password, new_password: form.get('new_password') ?? undefined }
      const change = async (): Promise<Response> => {
        await this.#run(c, 'password', { body, csrf }).catch(async (error: unknown) => {
          if (!unconfirmed(error)) throw error
          await this.#run(c, 'confirm', { body: { password: current_password }, csrf })
          return this.#run(c, 'password', { body, csrf })
        })
        return this.#redirect(`/${this.#panel}/`)
      }
      return this.#attempt(c, change, (error) => <NewPassword {...this.#own(request)} error={error} />)
    })
  }

  /** All that a suspended account sees, with its owner's brand. */
  async suspended(request: PanelRequest): Promise<Response> {
    const { c, session } = request
    const ask = { params: { id: session.account_id ?? '' } }
    const brand = await readIfAllowed(request, 'getBrandForAccount', ask)
    const page = <Suspended server={this.#screens.server} user={userOf(request)} {...session.suspended} />
    return html(this.#screens, c, <Brand.Provider value={brand ?? {}}>{page}</Brand.Provider>, 403)
  }

  #own(request: PanelRequest) {
    return { ...this.#step(), user: userOf(request) }
  }

  #run(c: C, what: keyof (typeof ownSignIn)['user'], input?: Input): Promise<Answer> {
    return this.#screens.perform(c, ownSignIn[this.#panel][what], input)
  }

  /** Runs `act`; if that is refused, shows the form again with the error. */
  async #attempt(c: C, act: () => Promise<Response>, refused: (error: string) => Child): Promise<Response> {
    try {
      return await act()
    } catch (error) {
      return this.#html(c, refused(sentence(error)), statusOf(error))
    }
  }

  #html(c: C, node: Child, status?: number, headers?: Readonly<Record<string, string>>): Promise<Response> {
    return branded(this.#screens, c, node, status, headers)
  }

  #redirect(to: string, headers: Readonly<Record<string, string>> = {}): Response {
    return redirect(this.#screens, to, 303, headers)
  }

  #step(next?: string) {
    return { server: this.#screens.server, panel: this.#panel, next }
  }
}

export const isSuspended = (error: unknown): boolean => error instanceof Problem && error.code === 'account-suspended'
export const unconfirmed = (error: unknown): boolean => error instanceof Problem && error.code === 'confirm-password'
