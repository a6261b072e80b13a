import { FileError, type ImportSource } from '../../host/contract/driver.ts'
import type { Outgoing } from '../../outgoing/client.ts'
import {
  BULK_SILENCE_LIMIT_MS,
  JobError,
  type JobKind,
  type RunningJob,
  type Settle,
} from '../../runtime/jobs/job-kind.ts'
import { type Host, watching } from '../accounts/jobs/apply.ts'
import { apply, applySteps, terminate } from '../accounts/jobs/index.ts'
import { lowerAscii } from '../accounts/operations/names.ts'
import { accountById } from '../accounts/store.ts'
import { compareJob } from './compare/job.ts'
import { requestFor } from './limits.ts'
import { replan } from './replan.ts'
import { beginRun } from './run/begin.ts'
import { importOf, sentenceOf } from './run/step.ts'
import { stepJobs } from './run/steps.ts'
import { importById, purpose, removeImport, setImport, setStep } from './store.ts'
import type { Former, ImportRow } from './tables.ts'
import { removeFile, sha256Of } from './uploads/files.ts'

/** Reads the archive once, keeps what was read encrypted, and makes the report. */
async function inspect(host: Host, job: RunningJob): Promise<Settle> {
  const { runtime, client } = host
  const found = importOf(host, job)
  const { id } = found
  job.step('check')
  await refuseOtherSum(host, found, job.signal)
  const request = requestFor(runtime, found)
  const source = await client.readArchive(request, watching(job)).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error
    return fail(host, id, sentenceOf(error))
  })
  if (source.damage !== undefined) return fail(host, id, source.damage, source)
  job.log(
    `${source.format}: ${source.username}, ${source.domains.length} domains, ${source.mailboxes.length} mailboxes, ${source.databases.length} databases, ${source.files.files} files`,
  )
  const sealed = runtime.seal(purpose, JSON.stringify(source))
  return (ctx) => {
    const row = importById(ctx.db, id)
    if (row?.status !== 'inspecting') return
    const read = {
      source: sealed,
      format: source.format,
      panel_version: source.panelVersion ?? null,
      size_bytes: source.sizeBytes,
      former: formerOf(source),
    }
    setImport(ctx, id, read)
    const fresh = replan(ctx, { ...row, ...read })
    setImport(ctx, id, { ...fresh, finished_at: ctx.now })
    setStep(ctx, id, 'inspect', { status: 'succeeded', done: 1, job_id: job.row.id })
    const lines = fresh.report?.length ?? 0
    setStep(ctx, id, 'judge', { status: 'succeeded', done: lines, total: lines, unit: 'lines' })
    if (row.runs && fresh.status === 'ready') beginRun(ctx, id)
  }
}

/** What was sent is what was announced. */
async function refuseOtherSum(host: Host, { id, path, upload_sha256 }: ImportRow, signal: AbortSignal): Promise<void> {
  if (upload_sha256 === null || (await sha256Of(path, signal)) === upload_sha256) return
  await fail(host, id, 'The bytes that came do not have the sha256 that was announced: upload the archive again.')
}

const formerOf = ({ plan, domains, zones }: ImportSource): Former => ({
  ips: plan.ips,
  domains: domains.filter(({ kind }) => kind !== 'sub').map(({ name }) => name),
  isSigned: zones.some(({ isSigned }) => isSigned),
})

/** What cannot be read to its end still names its account, so that the import can be found. */
async function fail({ runtime }: Host, id: string, error: string, source?: ImportSource): Promise<never> {
  await runtime.store.change(() => {
    const { options } = importById(runtime.store.db, id)!
    const names = source && {
      format: source.format,
      username: lowerAscii(options.as ?? source.username),
      main_domain: options.domain ?? source.mainDomain,
    }
    setImport(runtime, id, { error, ...names })
  })
  throw new JobError(error, true)
}

/** Kinds of jobs about one import. */
export const importJobs = (host: Host, outgoing: Outgoing): JobKind[] => [
  {
    kind: 'import.inspect',
    silenceLimitMs: BULK_SILENCE_LIMIT_MS,
    steps: ['check'],
    again: 'createImport',
    exists: ({ object_id }) => importById(host.runtime.store.db, object_id!) !== undefined,
    run: (job) => inspect(host, job),
    failed: (ctx, { object_id }) => {
      const error = importById(ctx.db, object_id!)?.error ?? 'It could not be read.'
      setStep(ctx, object_id!, 'inspect', { status: 'failed', error })
      setImport(ctx, object_id!, { status: 'failed', error, finished_at: ctx.now })
    },
  },
  ...stepJobs(host),
  compareJob(host, outgoing),
  {
    kind: 'import.activate',
    steps: applySteps,
    again: 'activateImport',
    emits: ['account.suspended'],
    exists: ({ object_id }) => importById(host.runtime.store.db, object_id!) !== undefined,
    run: (job) => activate(host, job),
  },
  {
    kind: 'import.remove',
    silenceLimitMs: BULK_SILENCE_LIMIT_MS,
    steps: ['stop', 'backup', 'remove'],
    maxAttempts: 5,
    again: 'deleteImport',
    exists: ({ object_id }) => importById(host.runtime.store.db, object_id!) !== undefined,
    run: (job) => remove(host, job),
  },
]

/** The store says already that the account is not held back: the host is made to match. */
async function activate(host: Host, job: RunningJob): Promise<Settle> {
  const { id, account_id, upload_id } = importOf(host, job)
  const settle = account_id === null ? undefined : await apply(host, job)
  if (upload_id !== null) await removeFile(host.runtime, upload_id)
  return (ctx) => {
    settle?.(ctx)
    const row = importById(ctx.db, id)
    if (row?.status === 'imported') setImport(ctx, id, { status: 'active', activated_at: ctx.now, work: null })
    ctx.afterCommit(() => ctx.runtime.signals.emit('cronChange'))
  }
}

/** An account that is terminating is removed as usual, and nothing of it stays in the trash. */
async function remove(host: Host, job: RunningJob): Promise<Settle> {
  const { id, account_id, upload_id } = importOf(host, job)
  const account = account_id === null ? undefined : accountById(host.runtime.store.db, account_id)
  const settle = account?.terminating ? await terminate(host, job) : undefined
  job.step('remove')
  await host.client.dropImport({ id, ...(account?.terminating && { account: account.id }) }, watching(job))
  if (upload_id !== null) await removeFile(host.runtime, upload_id)
  return (ctx) => {
    settle?.(ctx)
    removeImport(ctx, id)
  }
}
