import type { ReportItem } from '../../../contract/imports.ts'
import { type Outgoing, OutgoingError } from '../../../outgoing/client.ts'
import type { Visited } from '../../../outgoing/visit.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Host } from '../../accounts/jobs/apply.ts'
import { accountById } from '../../accounts/store.ts'
import { servedDomains } from '../../domains/store.ts'
import { Report } from '../plan/report.ts'
import { importOf } from '../run/step.ts'
import { importById, setImport } from '../store.ts'
import { differencesOf } from './differences.ts'
import { oldAddress } from './old-address.ts'
import { type Page, pagesOf } from './pages.ts'

const PAGE_TIMEOUT_MS = 15_000
const MAX_PAGE_BYTES = 2 * 1024 * 1024
const AT_ONCE = 4

interface Sides {
  readonly outgoing: Outgoing
  readonly before: string
  readonly after: string
  /** Names that lead to either server. */
  readonly hosts: readonly string[]
  readonly signal: AbortSignal
}

/** Gets each page from both servers, and reports what differs. */
async function compare(host: Host, outgoing: Outgoing, job: RunningJob): Promise<Settle> {
  const { db } = host.runtime.store
  const row = importOf(host, job)
  const account = row.account_id === null ? undefined : accountById(db, row.account_id)
  if (!account) throw new JobError('The account no longer exists.', true)
  const { paths, address } = job.row.payload as { paths?: string; address?: string }
  const before = await oldAddress(host.runtime, outgoing, address ?? row.former?.ips[0])
  const domains = servedDomains(db, account.id).map(({ name }) => name)
  const hosts = [...domains, ...domains.map((name) => `www.${name}`), before, account.ip_address]
  const pages = pagesOf(db, account, paths?.split('\n'))
  const results: Result[] = []
  job.step('check')
  for (let at = 0; at < pages.length; at += AT_ONCE) {
    const sides = { outgoing, before, after: account.ip_address, hosts, signal: job.signal }
    results.push(...(await Promise.all(pages.slice(at, at + AT_ONCE).map((page) => resultOf(sides, page)))))
    job.progress((results.length / pages.length) * 100)
  }
  return (ctx) => keep(ctx, row.id, results)
}

interface Result extends Pick<ReportItem, 'outcome' | 'text'> {
  readonly item: string
}

async function resultOf(sides: Sides, page: Page): Promise<Result> {
  const item = `${page.domain}${page.path}`
  const [before, after] = await Promise.all([look(sides, sides.before, page), look(sides, sides.after, page)])
  if (typeof before === 'string') return { item, outcome: 'not_possible', text: `the old server: ${before}` }
  if (typeof after === 'string') return { item, outcome: 'not_possible', text: `this server: ${after}` }
  const differences = differencesOf(before, after, sides.hosts)
  if (differences.length === 0) return { item, outcome: 'as_is', text: 'the same' }
  return { item, outcome: 'changed', text: differences.join('; ') }
}

/** The page, or why there is none. */
async function look({ outgoing, signal }: Sides, address: string, { domain, path }: Page): Promise<Visited | string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PAGE_TIMEOUT_MS)])
  try {
    return await outgoing.visit({ address, host: domain, path, maxBytes: MAX_PAGE_BYTES, signal: limit })
  } catch (error) {
    if (signal.aborted || !(error instanceof OutgoingError)) throw error
    return sentences[error.kind]
  }
}

const sentences: Readonly<Record<OutgoingError['kind'], string>> = {
  timeout: `no answer within ${PAGE_TIMEOUT_MS / 1000} seconds`,
  dns: 'it has no address',
  connect: 'it does not accept connections',
  tls: 'it does not answer by TLS',
  'blocked-address': 'its address is not public',
  answer: 'its answer is not one of HTTP',
}

/** In place of what was compared before. */
function keep(ctx: Context, id: string, results: readonly Result[]): void {
  const row = importById(ctx.db, id)
  if (!row) return
  const report = new Report()
  for (const { part, item, outcome, text, ...more } of row.report)
    if (part !== 'pages') report.add(part, item, outcome, text, more)
  for (const { item, outcome, text } of results) report.add('pages', item, outcome, text)
  setImport(ctx, id, { report: report.items, compared_at: ctx.now })
}

export const compareJob = (host: Host, outgoing: Outgoing): JobKind => ({
  kind: 'import.compare',
  steps: ['check'],
  cancellable: true,
  again: 'compareImport',
  exists: ({ object_id }) => importById(host.runtime.store.db, object_id!) !== undefined,
  run: (job) => compare(host, outgoing, job),
})
