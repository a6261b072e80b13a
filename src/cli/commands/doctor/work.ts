import { counted } from '../../../shared/counted.ts'
import { exit } from '../../../shared/exit.ts'
import { zoneResolver } from '../../../shared/resolver.ts'
import { CliError } from '../../errors.ts'
import { relative } from '../../output/time.ts'
import type { Answer, Client, RequestQuery } from '../../request/client.ts'
import { byPage } from '../../request/list.ts'
import { allOf } from './all.ts'
import { bad, type Check, ok, warn } from './check.ts'
import { type MachineState, machineChecks } from './machine.ts'
import { nodesCheck } from './nodes.ts'

/** On a host with a name server: whether the machine asks others. `others` are the addresses of its secondaries. */
export function resolverCheck(others: readonly string[], root?: string, own?: readonly string[]): Check {
  const server = zoneResolver(others, root, own && [...own])
  if (server === undefined) return ok('resolver', 'Names are looked up at resolvers of others.')
  const message = `/etc/resolv.conf leads to ${server}, which answers from the zones of accounts.`
  return bad('resolver', message, "editor /etc/resolv.conf, and name your provider's resolver")
}

const timeout = 5000
const minute = 60_000
const day = 24 * 60 * minute
const tooLong = { queued: 10 * minute, running: 60 * minute }
const recent = day

interface JobState {
  readonly id: string
  readonly kind: string
  readonly created_at: number
  readonly started_at?: number
  readonly finished_at?: number
  readonly waiting_for?: string
  readonly error?: string
}

/** Checks jobs, webhooks and the license. What a token may not read is reported once. */
export async function workChecks(client: Client, isLocal: boolean): Promise<Check[]> {
  const all = [host, ...(isLocal ? [resolver] : []), nodesCheck, stuckJobs, failedJobs, webhooks, license]
  const found = await Promise.all(all.map((check) => check(client).catch(notAllowed)))
  const checks = found.flatMap((check) => check ?? [])
  if (!found.includes(undefined)) return checks
  return [...checks, warn('token', 'The token cannot read all of host, jobs, webhooks and license.', 'panel whoami')]
}

function notAllowed(error: unknown): undefined {
  if (!(error instanceof CliError) || error.exit !== exit.auth) throw error
  return undefined
}

const read = (client: Client, path: string, query: RequestQuery = {}): Promise<Answer> =>
  client.call({ method: 'GET', path, query, timeout })

interface Host {
  readonly driver: string
  readonly trust_tenants: boolean
  readonly agent: { readonly status: string; readonly reason?: string }
  readonly machine?: MachineState
  readonly unknown_accounts?: readonly { readonly id: string; readonly username?: string }[]
}

const trusting = warn(
  'host',
  "Commands and apps of accounts run as the server's own user and can do all that it can.",
  'serve without --trust-tenants, unless every account is yours',
)

async function host(client: Client): Promise<Check[]> {
  const found = (await read(client, '/host', { accounts: 'true' })).body as Host
  return [agentCheck(found), ...machineChecks(found.machine)]
}

/** Of a machine with a name server. */
async function resolver(client: Client): Promise<Check[]> {
  const { machine } = (await read(client, '/host')).body as Host
  if (!machine?.services?.some(({ unit }) => unit === 'named.service')) return []
  const { items } = (await read(client, '/nodes/dns-peers', { per_page: '500' })).body as { items: readonly Peer[] }
  return [resolverCheck(items.flatMap(({ addresses }) => addresses))]
}

interface Peer {
  readonly addresses: readonly string[]
}

function agentCheck({ driver, agent, trust_tenants, unknown_accounts: unknown = [] }: Host): Check {
  if (agent.status !== 'unreachable' && trust_tenants) return trusting
  if (unknown.length > 0) return unknownAccounts(unknown.map(({ id, username }) => username ?? id))
  if (agent.status !== 'unreachable') return ok('host', 'The host agent is available when a job needs it.')
  const message = `The host agent cannot be reached, and jobs wait for it: ${agent.reason}`
  return bad('host', message, driver === 'debian' ? 'systemctl status panel-host' : 'journalctl -u panel -n 50')
}

const named = 5

/** For example after a restore, if they were created since the backup. */
function unknownAccounts(names: readonly string[]): Check {
  const some = names.slice(0, named).join(', ') + (names.length > named ? ', …' : '')
  const message = `The server does not know ${counted(names.length, 'account')} on the host, and leaves them alone: ${some}.`
  return warn('host', message, 'panel host status --accounts --output json')
}

async function stuckJobs(client: Client): Promise<Check> {
  const now = Date.now()
  const old = [...(await oldJobs(client, 'running', now)), ...(await oldJobs(client, 'queued', now))]
  const stuck = old.filter(({ waiting_for }) => waiting_for === undefined)
  const [first] = stuck
  if (!first) return ok('jobs', calm(old))
  const since = relative(first.started_at ?? first.created_at, now)
  return warn(
    'jobs',
    `${counted(stuck.length, 'job')} ${stuck.length === 1 ? 'is' : 'are'} stuck; ${first.kind} started ${since}.`,
    `panel jobs show ${first.id}`,
  )
}

/** Lists are in order of creation: after a page that ends with a recent job, all are recent. */
async function oldJobs(client: Client, status: 'queued' | 'running', now: number): Promise<JobState[]> {
  const request = { method: 'GET', path: '/jobs', query: { status }, timeout }
  const isOld = (at: number): boolean => at < now - tooLong[status]
  const old: JobState[] = []
  for await (const { items } of byPage(client, request, Number.POSITIVE_INFINITY)) {
    const jobs = items as readonly JobState[]
    old.push(...jobs.filter((job) => isOld(job.started_at ?? job.created_at)))
    if (!isOld(jobs.at(-1)?.created_at ?? now)) break
  }
  return old
}

/** Why a node's jobs wait is reported with the node. */
function calm(waiting: readonly JobState[]): string {
  const [first] = waiting
  if (!first) return 'No job has been waiting or running for long.'
  return `No job is stuck; ${waiting.length} ${waiting.length === 1 ? 'waits' : 'wait'} for a node: ${first.waiting_for}`
}

/** Reads all, since an old job may have failed just now. */
async function failedJobs(client: Client): Promise<Check> {
  const now = Date.now()
  const all = await allOf<JobState>(client, '/jobs', { status: 'failed' })
  const failed = all.filter((job) => endOf(job) > now - recent)
  const latest = failed.sort((one, other) => endOf(one) - endOf(other)).at(-1)
  if (!latest) return ok('failures', 'No job has failed in the last day.')
  const message = `${counted(failed.length, 'job')} failed in the last day, most recently ${latest.kind}: ${latest.error ?? 'no reason is known'}`
  return warn('failures', message, `panel jobs show ${latest.id}`)
}

const endOf = ({ finished_at = 0 }: JobState): number => finished_at

interface Webhook {
  readonly id: string
  readonly url: string
  readonly enabled: boolean
  readonly disabled_reason?: string
}

async function webhooks(client: Client): Promise<Check> {
  const { items } = (await read(client, '/webhooks')).body as { items: readonly Webhook[] }
  const off = items.filter(({ enabled, disabled_reason }) => !enabled && disabled_reason)
  const [first] = off
  if (!first) return ok('webhooks', 'The server has not switched off any webhook.')
  const message = `The server has switched off ${counted(off.length, 'webhook')}; ${first.url}: ${first.disabled_reason}`
  return warn('webhooks', message, `panel webhooks deliveries ${first.id}`)
}

async function license(client: Client): Promise<Check> {
  const { valid_until } = (await read(client, '/license')).body as { valid_until: number | null }
  if (valid_until === null) return ok('license', 'The license does not expire.')
  const now = Date.now()
  const when = relative(valid_until, now)
  if (valid_until <= now)
    return bad('license', `The license expired ${when}: nothing can be changed.`, 'panel license set <valid-until>')
  if (valid_until < now + 14 * day)
    return warn('license', `The license expires ${when}.`, 'panel license set <valid-until>')
  return ok('license', `The license expires ${when}.`)
}
