import { CliError } from '../../errors.ts'
import { type Answer, type Client, createClient } from '../../request/client.ts'
import { version } from '../../root.ts'
import type { ServerTarget } from '../../target/target.ts'
import { bad, type Check, ok, warn } from './check.ts'

const timeout = 5000
const skew = { warn: 5000, bad: 60_000 }

/** Checks the server, its worker and store, its clock and its version. */
export async function serverChecks(target: ServerTarget): Promise<Check[]> {
  const outside = createClient({ ...target, url: new URL('/', target.url) })
  const begun = Date.now()
  // No leading slash, since the base URL ends in one.
  const answer = await outside.call({ method: 'GET', path: 'healthz', timeout, attempts: 1 }).catch(asError)
  const unhealthy = answer instanceof CliError && answer.problem.status === 503
  if (answer instanceof CliError && !unhealthy) return [unreachable(target, answer)]
  const health = unhealthy
    ? unhealthyCheck(answer)
    : ok('server', `The server answers; its store and its worker are healthy.`)
  const clock = answer instanceof CliError ? [] : [clockCheck(answer, begun)]
  return [health, ...clock, await versionCheck(createClient(target))]
}

const asError = (error: unknown): CliError => {
  if (error instanceof CliError) return error
  throw error
}

/** A replaced server says so in its detail. */
const unhealthyCheck = ({ problem: { detail } }: CliError): Check =>
  detail
    ? bad('server', detail, 'systemctl disable --now panel')
    : bad('server', 'The server reports that its store or its worker is unhealthy.', 'journalctl -u panel -n 50')

const unreachable = (target: ServerTarget, { problem }: CliError): Check =>
  bad('server', `${problem.title}.`, problem.hint ?? `panel whoami: the server was chosen by ${target.source}`)

/** The header has whole seconds, and the response took a moment. */
function clockCheck({ headers }: Answer, begun: number): Check {
  const theirs = Date.parse(headers.date ?? '')
  if (Number.isNaN(theirs)) return warn('clock', 'The server does not tell its time.', 'date')
  const now = Date.now()
  const off = theirs + 1000 < begun ? theirs + 1000 - begun : Math.max(0, theirs - now)
  const seconds = Math.round(Math.abs(off) / 1000)
  const message = `The clock of the server is ${seconds} seconds ${off < 0 ? 'behind' : 'ahead of'} this machine's.`
  if (Math.abs(off) > skew.bad) return bad('clock', message, 'timedatectl set-ntp true')
  if (Math.abs(off) > skew.warn) return warn('clock', message, 'timedatectl set-ntp true')
  return ok('clock', 'The clocks of the server and of this machine agree.')
}

async function versionCheck(client: Client): Promise<Check> {
  const answer = await client.call({ method: 'GET', path: '/openapi.json', timeout }).catch(asError)
  if (answer instanceof CliError)
    return warn('version', `The version cannot be read: ${answer.problem.title}.`, 'panel --version')
  const theirs = (answer.body as { info: { version: string } }).info.version
  if (theirs === version()) return ok('version', `Server and command line are panel ${theirs}.`)
  const message = `The server is panel ${theirs}, the command line ${version()}.`
  return warn('version', message, 'update the older one; after an update: systemctl restart panel')
}

/** The server's own origin, taken from the problem for an unknown path. */
export async function originOf(target: ServerTarget): Promise<URL | undefined> {
  const answer = await createClient(target).call({ method: 'GET', path: '/-', timeout }).catch(asError)
  const type = answer instanceof CliError ? answer.problem.type : ''
  return URL.canParse(type) && /^https?:/.test(type) ? new URL(type) : undefined
}
