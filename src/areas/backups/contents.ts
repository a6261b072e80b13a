import type { listBackupEntries as declared } from '../../contract/backups.ts'
import { Problem } from '../../contract/problem.ts'
import { BULK_SILENCE_LIMIT_MS, JobError, type JobKind, type RunningJob } from '../../runtime/jobs/job-kind.ts'
import { enqueue } from '../../runtime/jobs/queue.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { type Host, watching } from '../accounts/jobs/apply.ts'
import { withProblems } from '../files/problem.ts'
import { hostOf } from '../host/host.ts'
import { placeOf } from './destinations/host-destination.ts'
import { refuseWithout } from './download.ts'
import { accountOf, backupById, jobAbout } from './store.ts'
import type { BackupRow } from './tables.ts'

const kind = 'backup.index'
const RETRY_AFTER_SECONDS = 2

/** One level of a backup, from its index; a job makes one that is missing. */
export const listBackupEntries: HostHandler<typeof declared> = {
  async act(ctx, { query: { part, path = '', after, limit } }, signal) {
    const { backup } = ctx.found
    refuseWithout(backup, part, 'look at')
    const request = {
      place: placeOf(ctx.runtime, backup),
      manifestSha256: backup.manifest_sha256!,
      part,
      path: base64(path.replace(/\/+$/, '')),
      ...(after !== undefined && { after: bytesOf(after).toString('base64') }),
      limit,
    }
    const { indexed, items, next } = await withProblems(() => hostOf(ctx.runtime).listBackup(request, { signal }))
    if (!indexed) throw await beginIndex(ctx, backup)
    return { items: items.map(toItem), ...(next !== undefined && { next: cursorOf(next) }) }
  },
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f%]/g
const byte = (char: string): string => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`

/** A name as the next page begins after it: as it is, with what is not text as `%xx`. */
function cursorOf(name: string): string {
  const bytes = Buffer.from(name, 'base64')
  try {
    return utf8.decode(bytes).replace(control, byte)
  } catch {
    return bytes.toString('latin1').replace(/[^ -$&-~]/g, byte)
  }
}

const bytesOf = (cursor: string): Buffer =>
  Buffer.from(
    Buffer.from(cursor)
      .toString('latin1')
      .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )

type Listed = Awaited<ReturnType<ReturnType<typeof hostOf>['listBackup']>>['items'][number]

const toItem = ({ name, type, size, mtimeMs, mode }: Listed) => ({
  name: Buffer.from(name, 'base64').toString('utf8'),
  type,
  ...(size !== undefined && { size }),
  ...(mtimeMs !== undefined && { modified_at: mtimeMs }),
  ...(mode !== undefined && { mode }),
})

/** Has the backup indexed, unless that has begun: 409 `busy` until it has ended. */
async function beginIndex({ runtime, actor, requestId }: Context, { id, ...row }: BackupRow): Promise<Problem> {
  await runtime.store.change(() => {
    if (jobAbout(runtime, id, [kind])) return
    const account = accountOf({ id, ...row })
    enqueue(runtime, { kind, account, object_id: id, lane: `contents:${row.account_id}` }, actor, requestId)
  })
  const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) }
  return new Problem('busy', 'The backup is being read, so that it can be listed. Try again soon.', undefined, headers)
}

async function index({ runtime, client }: Host, job: RunningJob): Promise<undefined> {
  const backup = backupById(runtime.store.db, job.row.object_id!)
  if (!backup?.manifest_sha256) throw new JobError('The backup no longer exists.', true)
  const request = { place: placeOf(runtime, backup), manifestSha256: backup.manifest_sha256 }
  await client.indexBackup(request, watching(job))
}

/** Reads a backup once, so that it can be looked into. */
export const indexJob = (host: Host): JobKind => ({
  kind,
  silenceLimitMs: BULK_SILENCE_LIMIT_MS,
  maxAttempts: 1,
  cancellable: true,
  exists: ({ object_id }) => backupById(host.runtime.store.db, object_id!) !== undefined,
  run: (job) => index(host, job),
})
