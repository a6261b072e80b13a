import type { Child } from 'hono/jsx'
import type { OperationId } from '../contract/index.ts'
import { Problem, problems } from '../contract/problem.ts'
import type { PanelName } from '../contract/sessions.ts'
import { isBelow } from '../shared/way.ts'
import { html, redirect } from './answers.ts'
import { unmaskToken } from './csrf.ts'
import { userOf } from './frame.tsx'
import { Suspended } from './notice.tsx'
import { type C, json, type Screens, type Served, serve } from './served.ts'
import {
  ConfirmPassword,
  NewPassword,
  RecoveryCodes,
  SecondFactor,
  SetUpSecondFactor,
  SignIn,
} from './sign-in-forms.tsx'

const ids = {
  admin: {
    signIn: 'signIn',
    complete: 'completeSignIn',
    signOut: 'signOut',
    password: 'changeOwnPassword',
    setUp: 'setUpTotp',
    enable: 'enableTotp',
    confirm: 'confirmPassword',
  },
  user: {
    signIn: 'signInUser',
    complete: 'completeSignInUser',
    signOut: 'signOutUser',
    password: 'changeOwnUserPassword',
    setUp: 'setUpTotpUser',
    enable: 'enableTotpUser',
    confirm: 'confirmUserPassword',
  },
} as const satisfies Record<PanelName, Record<string, OperationId>>

export const confirmOf = (panel: PanelName): OperationId => ids[panel].confirm

/** Where a page of a panel leads after signing in: the page that was asked for, or home. */
const wayAfter = (panel: PanelName, next: string | null | undefined): string => {
  const home = `/${panel}/`
  return next && isBelow(next, home) && !isWay(next, home) ? next : home
}

/** Ways in and out are no pages to come back to. */
const isWay = (next: string, home: string): boolean =>
  ['login', 'logout'].some((way) => next.slice(home.length).split(/[/?#]/)[0] === way)

/** Ways into one panel and out of it, and what a session must do before anything else. */
export class SignInPages {
  readonly #screens: Screens
  readonly #panel: PanelName
  constructor(screens: Screens, panel: PanelName) {
    this.#screens = screens
    this.#panel = panel
  }

  form(c: C): Response {
    return this.#signIn(c, { next: c.req.query('next') })
  }

  #signIn(
    c: C,
    {
      error,
      status = 200,
      ...given
    }: { error?: string; status?: number; username?: string; next?: string | undefined },
  ): Response {
    return this.#html(c, <SignIn {...this.#common(given.next)} username={given.username} error={error} />, status)
  }

  async signIn(c: C): Promise<Response> {
    const form = await this.#screens.form(c, this.#panel)
    const [username, password, next] = [form.get('username'), form.get('password'), form.get('next') ?? undefined]
    try {
      const body = { ...(username !== null && { username }), ...(password !== null && { password }) }
      const answer = await this.#screens.perform(c, ids[this.#panel].signIn, { body })
      if (json(answer).mfa_required) return this.#html(c, <SecondFactor {...this.#common(next)} />, 200, answer.headers)
      return this.#redirect(wayAfter(this.#panel, next), answer.headers)
    } catch (error) {
      return this.#signIn(c, { error: sentence(error), status: statusOf(error), username: username ?? '', next })
    }
  }

  async complete(c: C): Promise<Response> {
    const form = await this.#screens.form(c, this.#panel)
    const next = form.get('next') ?? undefined
    try {
      const body = { code: form.get('code')?.trim() }
      const answer = await this.#screens.perform(c, ids[this.#panel].complete, { body })
      return this.#redirect(wayAfter(this.#panel, next), answer.headers)
    } catch (error) {
      return this.#html(c, <SecondFactor {...this.#common(next)} error={sentence(error)} />, statusOf(error))
    }
  }

  async signOut(c: C): Promise<Response> {
    const form = await this.#screens.form(c, this.#panel)
    try {
      const csrf = unmaskToken(form.get('csrf_token') ?? '')
      const { headers } = await this.#screens.perform(c, ids[this.#panel].signOut, { csrf })
      const to = form.get('to') === '/admin/' ? '/admin/' : `/${this.#panel}/login`
      return this.#redirect(to, { ...headers, 'Clear-Site-Data': '"cache", "storage"' })
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error
      return this.#redirect(`/${this.#panel}/login`)
    }
  }

  /** What stands in the place of every page until it is done; nothing where the session may go on. */
  async gate(served: Served): Promise<Response | undefined> {
    const { session, c } = served
    const here = c.req.method === 'GET' ? new URL(c.req.url) : undefined
    const next = here && here.pathname !== `/${this.#panel}/` ? here.pathname + here.search : undefined
    if (session.mfa_required) return this.#html(c, <SecondFactor {...this.#common(next)} />)
    if (!session.authenticated) return this.#redirect(this.#toSignIn(next))
    if (session.force_password_change) return this.#html(c, <NewPassword {...this.#own(served)} />)
    return session.two_factor_setup_required ? this.#setUp(served) : undefined
  }

  #toSignIn(next: string | undefined): string {
    return `/${this.#panel}/login${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`
  }

  async #setUp(served: Served): Promise<Response> {
    const own = this.#own(served)
    try {
      const answer = await this.#screens.perform(served.c, ids[this.#panel].setUp, { csrf: served.session.csrf_token })
      const { secret, uri } = json(answer)
      return this.#html(served.c, <SetUpSecondFactor {...own} secret={secret} uri={uri} />)
    } catch (error) {
      if (isSuspended(error)) return this.suspended(served)
      if (!unconfirmed(error)) throw error
      return this.#html(served.c, <ConfirmPassword {...own} />)
    }
  }

  /** A form of these pages, from whoever is signed in. */
  async #sent(
    c: C,
    act: (served: Served, form: URLSearchParams, csrf: string) => Promise<Response>,
  ): Promise<Response> {
    const form = await this.#screens.form(c, this.#panel)
    const served = await serve(this.#screens, c, this.#panel)
    if (!served.session.authenticated) return this.#redirect(this.#toSignIn(undefined))
    return act(served, form, unmaskToken(form.get('csrf_token') ?? ''))
  }

  confirm(c: C): Promise<Response> {
    return this.#sent(c, async (served, form, csrf) => {
      try {
        await this.#screens.perform(c, ids[this.#panel].confirm, {
          body: { password: form.get('password') ?? undefined },
          csrf,
        })
        return this.#redirect(`/${this.#panel}/`)
      } catch (error) {
        return this.#html(c, <ConfirmPassword {...this.#own(served)} error={sentence(error)} />, statusOf(error))
      }
    })
  }

  enable(c: C): Promise<Response> {
    return this.#sent(c, async (served, form, csrf) => {
      const own = this.#own(served)
      try {
        const answer = await this.#screens.perform(c, ids[this.#panel].enable, {
          body: { code: form.get('code')?.trim() },
          csrf,
        })
        return this.#html(c, <RecoveryCodes {...own} codes={json(answer).recovery_codes} />)
      } catch (error) {
        const uri = form.get('uri') ?? ''
        const again = { secret: form.get('secret') ?? '', uri: uri.startsWith('otpauth:') ? uri : '' }
        return this.#html(c, <SetUpSecondFactor {...own} {...again} error={sentence(error)} />, statusOf(error))
      }
    })
  }

  changePassword(c: C): Promise<Response> {
    return this.#sent(c, async (served, form, csrf) => {
      const [current_password, new_password] = [
        form.get('current_password') ?? undefined,
        form.get('new_password') ?? undefined,
      ]
      const change = () =>
        this.#screens.perform(c, ids[this.#panel].password, { body: { current_password, new_password }, csrf })
      try {
        await change().catch(async (error: unknown) => {
          if (!unconfirmed(error)) throw error
          await this.#screens.perform(c, ids[this.#panel].confirm, { body: { password: current_password }, csrf })
          return change()
        })
        return this.#redirect(`/${this.#panel}/`)
      } catch (error) {
        return this.#html(c, <NewPassword {...this.#own(served)} error={sentence(error)} />, statusOf(error))
      }
    })
  }

  suspended(served: Served): Response {
    return this.#html(served.c, <Suspended server={this.#screens.server} user={userOf(served)} />, 403)
  }

  #own(served: Served) {
    return { ...this.#common(), user: userOf(served) }
  }

  #html(c: C, node: Child, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
    return html(this.#screens, c, node, status, headers)
  }

  #redirect(to: string, headers: Readonly<Record<string, string>> = {}): Response {
    return redirect(this.#screens, to, 303, headers)
  }

  #common(next?: string) {
    return { server: this.#screens.server, panel: this.#panel, next }
  }
}

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

export const isSuspended = (error: unknown): boolean => error instanceof Problem && error.code === 'account-suspended'
export const unconfirmed = (error: unknown): boolean => error instanceof Problem && error.code === 'confirm-password'

const statusOf = (error: unknown): number => (error instanceof Problem ? error.status : 500)
