import type { ReportItem } from '../../../contract/imports.ts'
import type { ImportSource } from '../../../host/contract/driver.ts'
import { JobError, type JobKind, type RunningJob } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { differencesOf, type Host, watching } from '../../accounts/jobs/apply.ts'
import { apply, forget, undoCreate } from '../../accounts/jobs/index.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { emitCreated } from '../../accounts/operations/create.ts'
import { accountById, type FullAccount } from '../../accounts/store.ts'
import { quietContext } from '../../backups/context.ts'
import { takeUid } from '../../nodes/store.ts'
import { requestFor } from '../limits.ts'
import type { ImportPlan } from '../plan/plan.ts'
import { Report } from '../plan/report.ts'
import { planOf, replan } from '../replan.ts'
import { importById, setImport, setStep, sourceOf } from '../store.ts'
import type { ImportRow, ImportWork } from '../tables.ts'
import { rewriteConfigurations } from './configurations.ts'
import { makeAccount, type Refusal } from './rows.ts'
import { type StepResult, stepJob } from './step.ts'

const megabyte = 1024 * 1024

function accountOf({ runtime }: Host, { account_id }: ImportRow): FullAccount {
  const account = account_id === null ? undefined : accountById(runtime.store.db, account_id)
  if (!account) throw new JobError('The account no longer exists.', true)
  return account
}

function sourceFor({ runtime }: Host, row: ImportRow): ImportSource {
  const source = sourceOf(runtime, row)
  if (!source) throw new JobError('The result of the inspection is gone: inspect the archive again.', true)
  return source
}

/** Home and dumps, beside the homes, with the user id that the account gets. */
async function unpack(host: Host, job: RunningJob, row: ImportRow): Promise<StepResult> {
  const { runtime, client } = host
  const source = sourceFor(host, row)
  const ctx = quietContext(runtime, job.row)
  const uid = row.uid ?? (await runtime.store.change(() => reserveUid(ctx, row)))
  const plan = planOf(ctx, row)
  const { skip = [] } = row.options
  const room = roomOf(plan, source)
  const { files, warnings } = await client.unpackArchive(
    {
      ...requestFor(runtime, row),
      id: row.id,
      uid,
      ...(room !== undefined && { room }),
      homes: source.homes,
      roots: plan.domains.flatMap(({ documentRoot }) => documentRoot ?? []),
      mailboxes: plan.mail.mailboxes.map(({ source: box, local, domain }) => ({
        from: box.isDefault ? '' : `${box.domain}/${box.local}`,
        to: `${domain}/${local}`,
      })),
      databases: plan.databases.databases.map(({ from, name }) => ({ from, to: name })),
      without: (['files', 'mail'] as const).filter((one) => skip.includes(one)),
    },
    watching(job),
  )
  for (const line of warnings) job.log(line, 'warn')
  return { done: files, total: files, unit: 'files', write: (ctx) => planAgain(ctx, row.id) }
}

/** The quota, and beside it the dumps that were inspected: once loaded they leave the home. */
function roomOf({ account: { quotaMb }, databases }: ImportPlan, source: ImportSource): number | undefined {
  if (quotaMb === null) return undefined
  const coming = new Set(databases.databases.map(({ from }) => from))
  const dumps = source.databases.filter(({ name }) => coming.has(name)).reduce((sum, { bytes }) => sum + bytes, 0)
  return quotaMb * megabyte + dumps
}

function reserveUid(ctx: Context, { id, node }: ImportRow): number {
  const uid = takeUid(ctx.db, node)
  setImport(ctx, id, { uid })
  return uid
}

/** By what this server has now: what has come up since the inspection blocks the import, and the files stay. */
function planAgain(ctx: Context, id: string): void {
  const row = importById(ctx.db, id)!
  const { status, ...values } = replan(ctx, row)
  setImport(ctx, id, { ...values, status: status === 'blocked' ? 'blocked' : 'running' })
  const lines = { done: values.report?.length ?? 0, total: values.report?.length ?? 0, unit: 'lines' }
  setStep(ctx, id, 'judge', { status: status === 'blocked' ? 'failed' : 'succeeded', ...lines })
}

/** The rows in one change; then the home is renamed into place, and the host is made to match. */
async function makeOnHost(host: Host, job: RunningJob, before: ImportRow): Promise<StepResult> {
  const { runtime, client } = host
  if (before.account_id === null) await runtime.store.change(() => makeRows(quietContext(runtime, job.row), before))
  const row = importById(runtime.store.db, before.id)!
  const account = accountOf(host, row)
  const { placed } = await client.placeImport({ id: row.id, account: hostNameOf(account) }, watching(job))
  if (!placed) throw new JobError('The unpacked files are gone: run the import again.', true)
  const settle = await apply(host, ofAccount(job, account.id))
  return {
    write(ctx) {
      settle?.(ctx)
      const made = accountById(ctx.db, account.id)!
      if (!account.provisioned) emitCreated(ctx, made, { import_id: row.id, from: row.format ?? 'cpanel' })
      setImport(ctx, row.id, { source: null })
    },
  }
}

/** The job as one about the account, for what accounts' jobs do. */
const ofAccount = (job: RunningJob, account_id: string): RunningJob => ({
  row: { ...job.row, account_id },
  signal: job.signal,
  log: (message, level) => job.log(message, level),
  progress: (percent) => job.progress(percent),
  step: () => {},
})

function makeRows(ctx: Context, row: ImportRow): void {
  const plan = planOf(ctx, row)
  if (plan.isBlocked) throw new JobError('Conflicts have come up since it was judged: run the import again.', true)
  const source = sourceOf(ctx.runtime, row)!
  const { id, refusals } = makeAccount(ctx, { row, plan, uid: row.uid! })
  const work = workOf(ctx, plan, source)
  setImport(ctx, row.id, { account_id: id, work, report: reportOf(plan.items, refusals) })
}

function workOf(ctx: Context, plan: ImportPlan, source: ImportSource): ImportWork {
  const { account, databases, domains, mail } = plan
  const renamed = [...databases.databases, ...databases.users].filter(({ from, name }) => from !== name)
  const homes = source.homes.filter((home) => home !== `/home/${account.username}`)
  return {
    username: account.username,
    prefix: account.prefix,
    messages: mail.mailboxes.reduce((sum, { source: box }) => sum + box.messages, 0),
    databases: databases.databases.map(({ name, collation }) => ({ id: ctx.id(), name, collation, done: false })),
    literals: {
      ...Object.fromEntries(renamed.map(({ from, name }) => [from, name])),
      ...Object.fromEntries(homes.map((home) => [home, `/home/${account.username}`])),
    },
    roots: [...new Set(domains.flatMap(({ documentRoot }) => documentRoot ?? []))],
    ...(source.plan.suspended && { suspended: source.plan.suspended }),
  }
}

/** What a rule has refused did not come, whatever was planned for it. */
function reportOf(items: readonly ReportItem[], refusals: readonly Refusal[]): readonly ReportItem[] {
  const report = new Report()
  const refused = new Map(refusals.map((one) => [`${one.part} ${one.item}`, one]))
  for (const { part, item, outcome, text, ...more } of items)
    if (!refused.has(`${part} ${item}`)) report.add(part, item, outcome, text, more)
  for (const { part, item, text } of refused.values()) report.add(part, item, 'not_possible', text)
  return report.items
}

/** Nothing of a failed creation stays, and its names are free; the next run unpacks again. */
async function undoAccount(host: Host, { id, account_id }: ImportRow, signal: AbortSignal): Promise<void> {
  const account = account_id === null ? undefined : accountById(host.runtime.store.db, account_id)
  if (account?.provisioned) return
  if (account) await undoCreate(host, { account_id: account.id } as Parameters<typeof undoCreate>[1], signal)
  await host.client.dropImport({ id, ...(account && { account: account.id }) }, { signal })
}

function forgetAccount(ctx: Context, { id, account_id }: ImportRow): void {
  const account = account_id === null ? undefined : accountById(ctx.db, account_id)
  if (account?.provisioned) return
  if (account) forget(ctx, { account_id: account.id, owner_id: account.owner_id })
  setImport(ctx, id, { account_id: null, work: null })
  setStep(ctx, id, 'unpack', { status: 'pending', done: 0 })
}

/** Loads the dumps, one after the other; each is read, tried out and loaded, or nothing of it. */
async function loadDatabases(host: Host, job: RunningJob, row: ImportRow): Promise<StepResult> {
  const { runtime, client } = host
  const account = accountOf(host, row)
  const { databases, prefix } = row.work!
  for (const { id, name, collation } of databases.filter(({ done }) => !done)) {
    const path = Buffer.from(`.panel-import/sql/${name}.sql`).toString('base64')
    const { tables, rows, warnings } = await client.importDatabase(
      {
        account: hostNameOf(account),
        id,
        database: { name, collation },
        source: { kind: 'file', path },
        replace: true,
        prefix,
      },
      watching(job),
    )
    job.log(`${name}: ${tables} tables, ${rows} rows`)
    for (const { line, reason } of warnings)
      job.log(`${name}${line === undefined ? '' : ` line ${line}`}: ${reason}`, 'warn')
    await runtime.store.change(() => noteLoaded(host, row.id, name))
  }
  await client.clearImport({ account: hostNameOf(account) }, watching(job))
  return {
    status: databases.length > 0 ? 'succeeded' : 'skipped',
    done: databases.length,
    total: databases.length,
    unit: 'databases',
  }
}

function noteLoaded({ runtime }: Host, id: string, name: string): void {
  const { work } = importById(runtime.store.db, id)!
  const databases = work!.databases.map((one) => (one.name === name ? { ...one, done: true } : one))
  setImport(runtime, id, { work: { ...work!, databases } })
}

/** Mail lies in its place since the home was unpacked: the mailboxes are measured. */
async function countMail(host: Host, _job: RunningJob, row: ImportRow): Promise<StepResult> {
  const { messages } = row.work!
  const isSkipped = row.options.skip?.includes('mail') ?? false
  accountOf(host, row)
  return { status: isSkipped ? 'skipped' : 'succeeded', done: messages, total: messages, unit: 'messages' }
}

async function settle(host: Host, job: RunningJob, row: ImportRow): Promise<StepResult> {
  const account = accountOf(host, row)
  const { literals, roots } = row.work!
  const files = host.client.files(hostNameOf(account))
  const rewritten = await rewriteConfigurations(files, { literals, roots })
  const write = (ctx: Context): void => {
    const report = new Report()
    for (const { part, item, outcome, text, ...more } of importById(ctx.db, row.id)!.report)
      if (!(part === 'files' && rewritten.some(({ file }) => file === item)))
        report.add(part, item, outcome, text, more)
    for (const { file, count } of rewritten)
      report.add('files', file, 'changed', `${count} names of databases, users and paths are those of this server`, {
        fix: `${file}.before-import has what it was`,
      })
    setImport(ctx, row.id, { report: report.items })
  }
  for (const { file } of rewritten) job.log(`${file} was rewritten`)
  return { done: rewritten.length, total: rewritten.length, unit: 'files', ...(rewritten.length > 0 && { write }) }
}

/** Compares the host with what the store says, and names what differs. */
async function check(host: Host, job: RunningJob, row: ImportRow): Promise<StepResult> {
  const found = await differencesOf(host, accountOf(host, row), watching(job))
  for (const { path, change } of found.slice(0, MAX_DIFFERENCES)) job.log(`${path}: ${change}`, 'warn')
  return { unit: 'checks' }
}

const MAX_DIFFERENCES = 100

export const stepJobs = (host: Host): JobKind[] => [
  stepJob(host, {
    step: 'unpack',
    next: 'account',
    run: unpack,
    undo: (_, { id, account_id }, signal) =>
      account_id === null ? host.client.dropImport({ id }, { signal }).then(() => {}) : Promise.resolve(),
  }),
  stepJob(host, { step: 'account', next: 'mysql', run: makeOnHost, undo: undoAccount, failed: forgetAccount }),
  stepJob(host, { step: 'mysql', next: 'mail', run: loadDatabases }),
  stepJob(host, { step: 'mail', next: 'settle', run: countMail }),
  stepJob(host, { step: 'settle', next: 'check', run: settle }),
  stepJob(host, { step: 'check', run: check }),
]
