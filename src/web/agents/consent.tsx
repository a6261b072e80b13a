import { accountAreas, adminAreas } from '../../contract/common.ts'
import { invalid, notWhileActing, Problem } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { day } from '../../shared/time.ts'
import { isOfSession } from '../forms/submit-form.tsx'
import { refuseForeign } from '../http/csrf.ts'
import { redirect, submittingTo } from '../http/responses.ts'
import { branded } from '../pages/frame/branded.tsx'
import { userOf } from '../pages/frame/frame.tsx'
import { readIfAllowed } from '../pages/page-context.ts'
import { type C, json, type PanelRequest, read, run, type Screens, serve } from '../panel-request.ts'
import { sentence, statusOf } from '../sign-in/sentence.ts'
import { AUTHORIZE_PATH, confirmOf, SignInPages, unconfirmed } from '../sign-in/sign-in.tsx'
import {
  type AuthorizationRequest,
  answerAt,
  ownParameter,
  readRequest,
  redirectUriOf,
  sourceOf,
} from './authorization-request.ts'
import { Consent, DEFAULT_DAYS, MAX_DAYS } from './consent-form.tsx'

/** Asks the person who is signed in whether a client may act for them. */
export const consentPage = (screens: Screens, c: C): Promise<Response> =>
  authorized(screens, c, (request, authorization) => show(request, authorization))

/** The person's answer: the client gets a code, or hears that it was refused. */
export async function answerConsent(screens: Screens, c: C): Promise<Response> {
  refuseForeign(c)
  return authorized(screens, c, async (request, authorization) => {
    const form = await screens.form(c, request.panel)
    if (!isOfSession(request.session, form)) throw new Problem('csrf', 'You have signed in again since. Start again.')
    const answer = (what: Readonly<Record<string, string>>): Response =>
      redirect(screens, answerAt(authorization.redirectUri, { ...what, ...always(screens, authorization) }), 302)
    if (form.get('decision') !== 'connect') return answer({ error: 'access_denied' })
    try {
      return answer({ code: await connect(request, authorization, form) })
    } catch (error) {
      if (!(error instanceof Problem) || error.code === 'csrf') throw error
      return show(request, authorization, { form, error })
    }
  })
}

/** RFC 9207: who answers, so that a client does not take it for the answer of another server. */
const always = ({ agents }: Screens, { state }: { readonly state: string | undefined }) => ({
  state,
  iss: agents.issuer,
})

type Then = (request: PanelRequest, authorization: AuthorizationRequest) => Promise<Response>

/**
 * Goes on once the client and its address are known, and the person is signed in. Until then it never redirects to a
 * client: anyone may register one.
 */
async function authorized(screens: Screens, c: C, then: Then): Promise<Response> {
  const query = new URL(c.req.url).searchParams
  const id = ownParameter(query, 'client_id')
  const known = screens.agents.registered(id)
  if (known) redirectUriOf(query, known)
  else if (!id.startsWith('https://')) throw unknownClient()
  const request = await signedIn(screens, c, query)
  const gated = await new SignInPages(screens, request.panel).gate({ ...request, url: sameUrl(c, query) })
  if (gated) return gated
  if (request.session.acting_as) throw notWhileActing()
  const client = known ?? (await screens.agents.find(id))
  if (!client) throw unknownClient()
  const authorization = readRequest(query, client, screens.agents)
  if (!('error' in authorization)) return then(request, authorization)
  const { error, description } = authorization
  const all = { error, error_description: description, ...always(screens, { state: query.get('state') ?? undefined }) }
  return redirect(screens, answerAt(ownParameter(query, 'redirect_uri'), all), 302)
}

const unknownClient = (): Problem => invalid('client_id', 'is unknown here, or this server does not allow the client')

/** Encoded anew: a `//` in it would not be followed after sign-in. */
function sameUrl(c: C, query: URLSearchParams): URL {
  const url = new URL(c.req.url)
  url.search = query.toString()
  return url
}

/** The panel that the person chose, or is signed in to; the one of their account first, which reaches less. */
async function signedIn(screens: Screens, c: C, query: URLSearchParams): Promise<PanelRequest> {
  const order: readonly PanelName[] = query.get('panel') === 'admin' ? ['admin', 'user'] : ['user', 'admin']
  const requests = []
  for (const panel of order) requests.push(await serve(screens, c, panel))
  return requests.find(({ session }) => session.authenticated || session.mfa_required) ?? requests[0]!
}

interface RefusedConsent {
  readonly form: URLSearchParams
  readonly error: Problem
}

async function show(
  request: PanelRequest,
  authorization: AuthorizationRequest,
  typed?: RefusedConsent,
): Promise<Response> {
  const { screens, c, panel, session } = request
  const isReseller = session.role === 'reseller'
  const accounts =
    panel === 'admin' ? await readIfAllowed(request, 'listAccounts', { query: { per_page: '1' } }) : undefined
  const page = (
    <Consent
      server={screens.server}
      user={userOf(request)}
      panel={panel}
      action={`${AUTHORIZE_PATH}?${new URL(c.req.url).searchParams}`}
      authorization={authorization}
      accounts={accounts?.total}
      isReseller={isReseller}
      typed={typed?.form}
      error={typed && !unconfirmed(typed.error) ? sentence(typed.error) : undefined}
      asksPassword={typed !== undefined && (unconfirmed(typed.error) || typed.form.has('_password'))}
    />
  )
  return branded(
    screens,
    c,
    page,
    typed ? statusOf(typed.error) : 200,
    submittingTo(sourceOf(authorization.redirectUri)),
  )
}

/** Creates the token by the same operation as every token, and makes it the client's. Returns the code. */
async function connect(
  request: PanelRequest,
  authorization: AuthorizationRequest,
  form: URLSearchParams,
): Promise<string> {
  const { screens } = request
  const account = await accountIn(request, form)
  const body = {
    name: authorization.client.name,
    scopes: scopesIn(authorization, form, account === undefined ? adminAreas : accountAreas),
    expires_at: screens.now() + daysIn(form) * day,
  }
  const password = form.get('_password')
  if (password !== null) await run(request, confirmOf(request.panel), { body: { password } })
  const answer =
    account === undefined
      ? await run(request, 'createToken', { body })
      : await run(request, 'createTokenForAccount', { params: { id: account }, body })
  const { client, redirectUri: redirect_uri, challenge, resource } = authorization
  return screens.agents.grant({ token: json(answer).token.id, client, redirect_uri, challenge, resource })
}

/** A customer's own account, or the one that an administrator names; undefined for all that they reach. */
async function accountIn(request: PanelRequest, form: URLSearchParams): Promise<string | undefined> {
  const { panel, session } = request
  if (panel === 'user') return session.account_id!
  const name = form.get('account')?.trim() ?? ''
  if (name === '') return undefined
  const found = await read(request, 'lookup', { query: { name, kind: 'account' } })
  if (found.items.length === 0) throw invalid('account', 'There is no such account')
  return found.items[0].id
}

function scopesIn(authorization: AuthorizationRequest, form: URLSearchParams, areas: readonly string[]): string[] {
  if (form.get('access') === 'read-only' && authorization.scopes.includes('read-only')) return ['read-only']
  const chosen = form.getAll('scope').filter((scope) => areas.includes(scope.split(':')[0]!))
  const other = chosen.find((scope) => !authorization.scopes.includes(scope))
  if (other !== undefined) throw invalid('scopes', 'must be among those that the client asked for')
  if (chosen.length === 0) throw invalid('scopes', 'must contain at least one')
  return chosen
}

function daysIn(form: URLSearchParams): number {
  const days = Number(form.get('days') ?? DEFAULT_DAYS)
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days
  throw invalid('days', `must be from 1 to ${MAX_DAYS}`)
}
