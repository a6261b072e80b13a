import type { BackupPartName, downloadBackup as declared } from '../../contract/backups.ts'
import { Problem } from '../../contract/problem.ts'
import type { FileBytes } from '../../host/contract/client.ts'
import type { BackupBytes } from '../../host/contract/driver.ts'
import { RawAnswer } from '../../runtime/operations/host-call.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { attachment } from '../../shared/attachment.ts'
import { withProblems } from '../files/problem.ts'
import { hostOf } from '../host/host.ts'
import { placeOf } from './destinations/host-destination.ts'
import { beginDownload } from './downloads.ts'
import type { BackupRow } from './tables.ts'

export const downloadBackup: HostHandler<typeof declared> = {
  async act({ runtime, found: { backup }, caller }, { query: { part } }, signal) {
    refuseWithout(backup, part)
    const [range, ifRange] = ['range', 'if-range'].map((name) => caller?.header(name))
    const request = {
      place: placeOf(runtime, backup),
      manifestSha256: backup.manifest_sha256!,
      ...(part && { part }),
      ...(range !== undefined && { range }),
      ...(ifRange !== undefined && { ifRange }),
    }
    const end = beginDownload(runtime, backup.id)
    try {
      const bytes = await withProblems(() => hostOf(runtime).openBackup(request, { signal }))
      bytes.stream.once('close', end)
      return answerOf(backup, bytes)
    } catch (error) {
      end()
      throw error
    }
  },
}

/** 409 `incomplete` for a part that was not saved. */
export function refuseWithout(
  { status, parts, manifest_sha256 }: BackupRow,
  part: BackupPartName | undefined,
  what = 'download',
): void {
  if (status === 'deleting') throw new Problem('busy', 'The backup is being deleted.')
  if (manifest_sha256 === null) throw new Problem('incomplete', `The backup is ${status}: there is nothing to ${what}.`)
  if (part && !parts.some((one) => one.part === part && one.status === 'ok'))
    throw new Problem('incomplete', `The part ${part} is not in the backup.`)
}

function answerOf({ id, username, created_at }: BackupRow, { answer, stream }: FileBytes<BackupBytes>): RawAnswer {
  const { ending, size, start, length, partial, sha256 } = answer
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(length),
    'Content-Disposition': attachment(`${username}-${id}${ending === 'tar' ? '.' : '-'}${ending}`),
    'Last-Modified': new Date(created_at).toUTCString(),
    ...(sha256 === undefined ? { 'Accept-Ranges': 'none' } : knownBy(sha256)),
    ...(partial && { 'Content-Range': `bytes ${start}-${start + length - 1}/${size}` }),
  }
  return new RawAnswer(partial ? 206 : 200, headers, stream)
}

/** Headers that identify the content: valid for the whole, also in range responses. */
const knownBy = (sha256: string) => ({
  'Accept-Ranges': 'bytes',
  ETag: `"${sha256}"`,
  'Repr-Digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
})
