import { and, eq, inArray, like } from 'drizzle-orm'
import type { FilesFromAfar, HostClient } from '../../host/contract/client.ts'
import { FileError } from '../../host/contract/driver.ts'
import { BULK_SILENCE_LIMIT_MS, JobError, type JobKind, type RunningJob } from '../../runtime/jobs/job-kind.ts'
import { cancel, unfinished } from '../../runtime/jobs/queue.ts'
import type { NewJob } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { jobs } from '../../runtime/tables.ts'
import type { ArchiveFormat, NameEncoding } from '../../shared/archives.ts'
import { counted } from '../../shared/counted.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accountById } from '../accounts/store.ts'
import { measureAfter, roomForAll } from './quota.ts'

type Work = (job: RunningJob, files: FilesFromAfar, room: () => ReturnType<typeof roomForAll>) => Promise<string>

/** Jobs on whole directories, in a lane beside the account's other jobs. Refusals are final. */
export function fileJobs(runtime: Runtime, host: HostClient): JobKind[] {
  const kind = (name: string, work: Work): JobKind => ({
    kind: name,
    cancellable: true,
    silenceLimitMs: BULK_SILENCE_LIMIT_MS,
    async run(job) {
      const account = accountById(runtime.store.db, job.row.account_id!)
      if (!account) throw new JobError('The account no longer exists.', true)
      const room = () => roomForAll(runtime, account.id, job.signal)
      try {
        job.log(await work(job, host.files(hostNameOf(account)), room).catch(asJobError))
      } finally {
        await measureAfter(runtime, account.id, job.signal)
      }
      return undefined
    },
  })
  return [
    kind('files.copy', async ({ row, signal }, files, room) => {
      const { from = '', to = '' } = row.payload
      const { files: copied } = await files.act('copy', { id: row.id, from, to, ...(await room()) }, { signal })
      return `${counted(copied, 'file')} copied`
    }),
    kind('files.archive', async ({ row, signal, log }, files, room) => {
      const { paths = '', to = '', format } = row.payload
      const input = { id: row.id, paths: paths.split(','), to, format: format as ArchiveFormat, ...(await room()) }
      const packed = await files.act('archive', input, { signal })
      for (const warning of packed.warnings) log(warning, 'warn')
      return `${counted(packed.files, 'file')} packed, ${packed.size} bytes`
    }),
    kind('files.extract', async ({ row, signal, log }, files, room) => {
      const { path = '', to = '', overwrite, encoding } = row.payload
      const names = encoding === undefined ? {} : { nameEncoding: encoding as NameEncoding }
      const input = { id: row.id, path, to, overwrite: overwrite === 'true', ...names, ...(await room()) }
      const { files: count, bytes, warnings = [] } = await files.act('extract', input, { signal })
      for (const warning of warnings) log(warning, 'warn')
      return count === undefined ? 'all is in its place' : `${counted(count, 'file')} unpacked, ${bytes} bytes`
    }),
    kind('files.empty_trash', async ({ row, signal }, files) => {
      const { removed } = await files.act('emptyTrash', { before: Number(row.payload['before']) }, { signal })
      return `${counted(removed, 'item')} removed for good`
    }),
  ]
}

function asJobError(error: unknown): never {
  throw error instanceof FileError ? new JobError(error.message, error.reason !== 'overloaded') : error
}

const ends = new Set(['account.suspend', 'account.terminate'])

/** Stops the file jobs of an account about to be suspended or terminated; inside that change. */
export function stopFileJobs(runtime: Runtime, { kind, account }: NewJob): void {
  if (!account || !ends.has(kind)) return
  const { db } = runtime.store
  const activeJobs = and(
    eq(jobs.account_id, account.id),
    like(jobs.kind, 'files.%'),
    inArray(jobs.status, [...unfinished]),
  )
  for (const job of db.select().from(jobs).where(activeJobs).all()) cancel(runtime, job)
}
