import type { UploadSource } from '../contract/commands/apps.ts'
import { FileError, HostError } from '../contract/error.ts'
import { extract } from '../homes/archive/extract.ts'
import { Directory, holding } from '../homes/home/directory.ts'
import { openUpload } from '../homes/home/uploads.ts'
import { overInodes, overQuota } from './quota.ts'

export interface Unpacking {
  readonly signal: AbortSignal
  readonly room?: number | undefined
  readonly inodes?: number | undefined
}

/** Unpacks an archive that was uploaded into a home, and returns what was left out of it; the upload stays. */
export function unpackUpload(
  home: string,
  source: UploadSource,
  into: Directory,
  { signal, room, inodes }: Unpacking,
): Promise<readonly string[]> {
  return holding(Directory.at(home), async (directory) => {
    const { id, size, sha256 } = source
    const archive = await openUpload({ directory, uid: 0n }, { id, size, ...(sha256 !== undefined && { sha256 }) })
    const { warnings } = await extract(archive, into, { signal, inodes, ...(room !== undefined && { room }) })
      .catch(asStep)
      .finally(() => archive.close())
    return warnings
  })
}

/** Reports what is wrong with the archive as its own message. */
function asStep(error: unknown): never {
  if (!(error instanceof FileError)) throw error
  if (error.reason !== 'limit-reached') throw new HostError('stage', error.message.replace(/^path: /, 'The upload '))
  throw error.field === 'inodes_limit' ? overInodes() : overQuota()
}
