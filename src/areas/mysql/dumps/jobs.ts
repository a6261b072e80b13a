import type { FilesFromAfar, HostClient } from '../../../host/contract/client.ts'
import { type DumpImport, type DumpSource, FileError, HostError } from '../../../host/contract/driver.ts'
import { BULK_SILENCE_LIMIT_MS, JobError, type JobKind, type RunningJob } from '../../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import { counted } from '../../../shared/counted.ts'
import type { DumpCompression } from '../../../shared/sql/dumps.ts'
import { watching } from '../../accounts/jobs/apply.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { accountById, type FullAccount } from '../../accounts/store.ts'
import { measureAfter, roomForAll } from '../../files/quota.ts'
import { forgetUpload, uploadOf } from '../../files/uploads.ts'
import { databaseById } from '../store.ts'
import type { DatabaseRow } from '../tables.ts'
import { lastExport, noteExport, noteImport } from './store.ts'

interface Found {
  readonly account: FullAccount
  readonly database: DatabaseRow
}

/** Imports and exports. What the host refuses is final. */
export function dumpJobs(runtime: Runtime, host: HostClient): JobKind[] {
  const { db } = runtime.store
  const ofDatabase = (row: JobRow): Found => {
    const [account, database] = [accountById(db, row.account_id!), databaseById(db, row.object_id!)]
    if (!account || !database || database.status === 'deleting')
      throw new JobError('The database no longer exists.', true)
    if (database.status === 'creating') throw new JobError(`${database.name} is still being created.`)
    return { account, database }
  }
  const exists = (row: JobRow): boolean => databaseById(db, row.object_id!) !== undefined
  const forget = (row: JobRow): void =>
    void (row.payload['upload'] && forgetUpload(runtime.store, row.payload['upload']))
  return [
    {
      kind: 'mysql.database.import',
      silenceLimitMs: BULK_SILENCE_LIMIT_MS,
      exists,
      async run(job) {
        const { account, database } = ofDatabase(job.row)
        const request = importOf(runtime, job.row, { account, database })
        const done = await host.importDatabase(request, watching(job)).catch(asJobError)
        job.log(`${counted(done.tables, 'table')}, ${counted(done.rows, 'row')} imported into ${database.name}`)
        for (const { line, reason } of done.warnings)
          job.log(line === undefined ? reason : `line ${line}: ${reason}`, 'warn')
        await dropUpload(host.files(hostNameOf(account)), job.row.payload['upload'])
        return (ctx) => {
          noteImport(ctx, database.id, job.row.id, done)
          forget(job.row)
        }
      },
      failed: (_ctx, row) => forget(row),
    },
    {
      kind: 'mysql.database.export',
      cancellable: true,
      silenceLimitMs: BULK_SILENCE_LIMIT_MS,
      exists,
      async run(job) {
        const { account, database } = ofDatabase(job.row)
        const isWaiting = job.row.payload['path'] === undefined
        await exported(runtime, host, job, { account, database })
        return (ctx) => {
          if (isWaiting) noteExport(ctx, database.id, job.row.id, job.row.payload['file']!)
        }
      },
    },
  ]
}

function importOf({ store, clock }: Runtime, { id, payload }: JobRow, { account, database }: Found): DumpImport {
  const { name, collation } = database
  const { from } = payload
  return {
    account: hostNameOf(account),
    id,
    database: { name, collation },
    source: sourceOf({ db: store.db, now: clock.now() }, account.id, payload),
    replace: payload['replace'] === 'true',
    ...(from !== undefined && { from }),
    prefix: account.db_prefix,
  }
}

function sourceOf(ctx: Parameters<typeof uploadOf>[0], account: string, payload: JobRow['payload']): DumpSource {
  const { path, upload: id } = payload
  if (path !== undefined) return { kind: 'file', path }
  const upload = uploadOf(ctx, account, id!)
  if (!upload) throw new JobError('The upload no longer exists.', true)
  const { size, sha256 } = upload
  return { kind: 'upload', id: upload.id, size, ...(sha256 !== null && { sha256 }) }
}

/** Bytes that are left on the host expire. */
async function dropUpload(files: FilesFromAfar, id: string | undefined): Promise<void> {
  if (id !== undefined) await files.act('dropUpload', { id }).catch(() => {})
}

async function exported(
  runtime: Runtime,
  host: HostClient,
  job: RunningJob,
  { account, database }: Found,
): Promise<void> {
  const { path, overwrite, compression } = job.row.payload
  const files = host.files(hostNameOf(account))
  const former = lastExport({ db: runtime.store.db, now: runtime.clock.now() }, database.id)
  // An attempt that was cut off left a part of it.
  await dropUpload(files, path === undefined ? job.row.id : undefined)
  if (path === undefined) await dropUpload(files, former?.job_id)
  const request = {
    account: hostNameOf(account),
    id: job.row.id,
    database: database.name,
    compression: compression as DumpCompression,
    ...(path !== undefined && { to: { path, overwrite: overwrite === 'true' } }),
    ...(await roomForAll(runtime, account.id, job.signal)),
  }
  try {
    const { bytes, warnings } = await host.exportDatabase(request, watching(job)).catch(asJobError)
    for (const warning of warnings) job.log(warning, 'warn')
    job.log(`${database.name} exported, ${bytes} bytes`)
  } finally {
    await measureAfter(runtime, account.id, job.signal)
  }
}

function asJobError(error: unknown): never {
  if (error instanceof FileError) throw new JobError(error.message, error.reason !== 'overloaded')
  throw error instanceof HostError && error.stage === 'precheck' ? new JobError(error.message, true) : error
}
