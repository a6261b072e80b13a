import { exit } from '../../../shared/exit.ts'
import { badAnswer, CliError, inputNeeded, withHint } from '../../errors.ts'
import { askHidden, askNeeded } from '../../input/ask.ts'
import { secretFromOption } from '../../input/secrets.ts'
import { type Invocation, textOption } from '../../invocation.ts'
import { type Answer, createClient, type Request } from '../../request/client.ts'
import { sessionPath } from '../../request/session.ts'
import type { SavedSession, ServerTarget } from '../../target/target.ts'
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
export async function sessionAt(target: ServerTarget, panel: Panel, debug: boolean): Promise<SessionAnswer> {
  const request = { method: 'GET', path: sessionPath(panel, 'session') }
  return answerIn(await createClient(target, { debug }).call(request), target)
}

function answerIn({ body }: Answer, target: ServerTarget): SessionAnswer {
  const session = body as SessionAnswer | null
  if (typeof session !== 'object' || typeof session?.authenticated !== 'boolean') throw badAnswer(target)
  return session
}

/** Signs in with a name, the password and, if needed, a code. Without --panel the server finds out who it is. */
export async function signInByPassword(invocation: Invocation, target: ServerTarget): Promise<SavedSession> {
  const { debug } = invocation.globals
  const who = await credentials(invocation)
  const { panel, ...first } = await begun(invocation, target, who)
  const send = (verb: string, body: object, session: ServerTarget['session']): Promise<Begun> =>
    begin({ ...target, ...(session && { session }) }, panel, debug, { verb, body })
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

interface Credentials {
  readonly username: string
  readonly password: string
}

async function begun(
  invocation: Invocation,
  target: ServerTarget,
  who: Credentials,
): Promise<Begun & { panel: Panel }> {
  const panel = panelFor(invocation, who.username)
  const { debug } = invocation.globals
  const signed = panel
    ? begin(target, panel, debug, { verb: 'login', body: who }).then((one) => ({ panel, ...one }))
    : anywhere(target, debug, who)
  return signed.catch((error) => refusedFor(panel, who.username, error))
}

/** The panel of --panel, and root's; others are found out by the server. */
const panelFor = (invocation: Invocation, username: string): Panel | undefined =>
  textOption(invocation, 'panel') !== undefined || username.toLowerCase() === 'root'
    ? panelOption(invocation)
    : undefined

async function anywhere(target: ServerTarget, debug: boolean, body: Credentials): Promise<Begun & { panel: Panel }> {
  const answer = await createClient(target, { debug }).call({ method: 'POST', path: '/auth/sign-in', body })
  const { panel, session } = (answer.body ?? {}) as { panel?: Panel; session?: SessionAnswer }
  const cookie = panel && cookieIn(answer, `panel_${panel}`)
  if (!panel || cookie === undefined || typeof session?.authenticated !== 'boolean') throw badAnswer(target)
  return { panel, answer: session, cookie }
}

async function credentials(invocation: Invocation): Promise<Credentials> {
  const provided = textOption(invocation, 'username')
  const suggestion = panelOption(invocation) === 'admin' ? 'root' : undefined
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
  target: ServerTarget,
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
  send: (verb: string, body: object, session: ServerTarget['session']) => Promise<Begun>,
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

function refusedFor(panel: Panel | undefined, username: string, error: unknown): never {
  if (!(error instanceof CliError) || error.problem.status !== 401) throw error
  throw withHint(error, hintFor(panel, username))
}

function hintFor(panel: Panel | undefined, username: string): string {
  if (panel === 'user') return 'root and resellers: leave out --panel user'
  const other = panel === 'admin' ? 'accounts sign in with --panel user' : nameHint
  return username.toLowerCase() === 'root' ? `${rootHint}; ${other}` : other
}

const nameHint = 'the name is a username, a domain of the account, or its contact address'
const rootHint = 'root has no password until it is set, on the server itself: panel root set-password'

function sayWhatIsLeft(answer: SessionAnswer, { url }: ServerTarget): void {
  if (answer.force_password_change) note(`note: nothing else works until the password is changed at ${url.origin}/`)
  if (answer.two_factor_setup_required)
    note(`note: nothing else works until two-factor sign-in is set up at ${url.origin}/`)
}
