import { exit } from '../../../shared/exit.ts'
import { badAnswer, CliError, inputNeeded, withHint } from '../../errors.ts'
import { askHidden, askNeeded } from '../../input/ask.ts'
import { secretFromOption } from '../../input/secrets.ts'
import { type Invocation, textOption } from '../../invocation.ts'
import { type Answer, createClient, type Request } from '../../request/client.ts'
import { sessionPath } from '../../request/session.ts'
import type { SavedSession, Target } from '../../target/target.ts'
import { canAsk, note } from '../../terminal.ts'

type Panel = SavedSession['panel']

/** The response of a session endpoint. */
export interface SessionAnswer {
  readonly authenticated: boolean
  readonly mfa_required?: boolean
  readonly force_password_change?: boolean
  readonly two_factor_setup_required?: boolean
  readonly csrf_token?: string
  readonly expires_at?: number
  readonly username?: string
  readonly role?: string
}

export const panelOption = (invocation: Invocation): Panel =>
  textOption(invocation, 'panel') === 'user' ? 'user' : 'admin'

/** Reads a panel's session endpoint; throws if the server is not a panel. */
export async function sessionAt(target: Target, panel: Panel, debug: boolean): Promise<SessionAnswer> {
  const request = { method: 'GET', path: sessionPath(panel, 'session') }
  return answerIn(await createClient(target, { debug }).call(request), target)
}

function answerIn({ body }: Answer, target: Target): SessionAnswer {
  const session = body as SessionAnswer | null
  if (typeof session !== 'object' || typeof session?.authenticated !== 'boolean') throw badAnswer(target)
  return session
}

/** Signs in with username, password and, if needed, a code. */
export async function signInByPassword(invocation: Invocation, target: Target): Promise<SavedSession> {
  const panel = panelOption(invocation)
  const { debug } = invocation.globals
  const send = (verb: string, body: object, session?: Target['session']): Promise<Begun> =>
    begin({ ...target, ...(session && { session }) }, panel, debug, { verb, body })
  const who = await credentials(invocation, panel)
  const first = await send('login', who).catch((error) => refusedFor(panel, who.username, error))
  const { answer, cookie } = first.answer.mfa_required ? await withCode(panel, first, send) : first
  if (!answer.authenticated || !answer.csrf_token) throw badAnswer(target)
  sayWhatIsLeft(answer, target)
  return {
    panel,
    username: answer.username ?? '',
    cookie,
    csrf: answer.csrf_token,
    ...(answer.expires_at !== undefined && { expires_at: answer.expires_at }),
  }
}

async function credentials(invocation: Invocation, panel: Panel): Promise<{ username: string; password: string }> {
  const provided = textOption(invocation, 'username')
  const suggestion = panel === 'admin' ? 'root' : undefined
  const known = provided ?? (canAsk() ? await askNeeded('Username:', suggestion) : suggestion)
  if (known === undefined) throw inputNeeded('Input is needed', 'give --username')
  const password = secretFromOption('password', invocation.option)
  if (password === undefined && !canAsk())
    throw inputNeeded('A password or a token is needed', 'give --token-stdin, --token-file, or --password-stdin')
  return { username: known.trim(), password: password ?? (await askHidden(`Password of ${known.trim()}:`)) }
}

interface Begun {
  readonly answer: SessionAnswer
  readonly cookie: string
}

async function begin(
  target: Target,
  panel: Panel,
  debug: boolean,
  { verb, body }: { verb: string; body: object },
): Promise<Begun> {
  const request: Request = { method: 'POST', path: sessionPath(panel, verb), body }
  const answer = await createClient(target, { debug }).call(request)
  const cookie = cookieIn(answer, `panel_${panel}`)
  if (cookie === undefined) throw badAnswer(target)
  return { answer: answerIn(answer, target), cookie }
}

function cookieIn({ headers }: Answer, name: string): string | undefined {
  for (const line of headers['set-cookie'] ?? []) {
    const [pair = ''] = line.split(';')
    const [key, value = ''] = pair.split('=')
    if (key?.trim() === name && /^[\w-]+$/.test(value)) return value
  }
  return undefined
}

const tries = 3

async function withCode(
  panel: Panel,
  { cookie }: Begun,
  send: (verb: string, body: object, session: Target['session']) => Promise<Begun>,
): Promise<Begun> {
  if (!canAsk()) throw inputNeeded('A two-factor code is needed', 'scripts sign in with --token-stdin')
  for (let attempt = 1; ; attempt++) {
    const code = await askNeeded('Code (six digits, or a recovery code):')
    try {
      return await send('login/totp', { code: code.replace(/\s/g, '') }, { panel, cookie, csrf: '' })
    } catch (error) {
      if (!(error instanceof CliError) || error.exit !== exit.auth || attempt === tries) throw error
      note(`${error.problem.detail ?? error.problem.title}`)
    }
  }
}

function refusedFor(panel: Panel, username: string, error: unknown): never {
  if (!(error instanceof CliError) || error.problem.status !== 401) throw error
  throw withHint(error, panel === 'user' ? 'root and resellers: leave out --panel user' : adminHint(username))
}

const adminHint = (username: string): string => {
  const account = 'accounts sign in with --panel user'
  return username.toLowerCase() === 'root' ? `${rootHint}; ${account}` : account
}

const rootHint = 'root has no password until it is set, on the server itself: panel root set-password'

function sayWhatIsLeft(answer: SessionAnswer, { url }: Target): void {
  if (answer.force_password_change) note(`note: nothing else works until the password is changed at ${url.origin}/`)
  if (answer.two_factor_setup_required)
    note(`note: nothing else works until two-factor sign-in is set up at ${url.origin}/`)
}
