import { Readable } from 'node:stream'
import type { PartRestore } from '../contract/commands/backups.ts'
import type { Doing } from '../contract/commands/index.ts'
import { FileError, HostError } from '../contract/error.ts'
import { decompress, through } from '../homes/archive/compress.ts'
import type { FailPoint } from '../install/engine.ts'
import { readManifest, verified } from './check.ts'
import type { HomeQuota, SavedHome, Staging, Swap } from './home.ts'
import { RestoreJournal } from './journal.ts'
import { archiveName } from './parts.ts'
import { type Roots, readerAt } from './readers.ts'

export interface Restoring extends Roots {
  readonly quota?: HomeQuota | undefined
  readonly onFailPoint?: FailPoint | undefined
}

/**
 * Restores one part: unpacked into staging, then swapped in. All or nothing. Until what is replaced is removed the home
 * has both, for which its quota is raised.
 */
export async function restorePart(
  where: Restoring,
  home: SavedHome,
  request: PartRestore,
  options: Doing,
): Promise<void> {
  const { part, paths, to, domain, inodes } = request
  const staging = { name: `restore-${request.place.backup}`, part, paths, to, domain }
  const gone = where.quota || inodes !== undefined ? await home.replaced(staging, options.signal) : undefined
  const limited = inodes === undefined ? staging : { ...staging, inodes: inodes + (gone?.inodes ?? 0) }
  const work = () => restore(where, home, { request, staging: limited }, options)
  return where.quota && gone ? where.quota.raised(request.account, gone, work) : work()
}

interface Staged {
  readonly request: PartRestore
  readonly staging: Staging
}

async function restore(where: Restoring, home: SavedHome, { request, staging }: Staged, options: Doing): Promise<void> {
  const journal = new RestoreJournal(where.host, request.account.id, request.restore)
  const { name } = staging
  if (journal.of(request.part) === undefined) {
    const swap = await stage(where, home, { request, staging }, options)
    await where.onFailPoint?.('restore-unpacked')
    options.signal?.throwIfAborted()
    journal.write(request.part, swap)
  }
  const state = journal.of(request.part)
  if (state !== 'done') {
    await home.swap(name, state as Swap)
    journal.write(request.part, 'done')
  }
  await where.onFailPoint?.('restore-done')
  await home.clear(name)
}

async function stage(
  where: Restoring,
  home: SavedHome,
  { request: { place, manifestSha256 }, staging }: Staged,
  { signal }: Doing,
): Promise<Swap> {
  const reader = await readerAt(where, place, signal)
  const manifest = await readManifest(reader, manifestSha256)
  if (typeof manifest === 'string') throw new HostError('stage', `The backup is damaged: ${manifest}`)
  const name = archiveName(staging.part, manifest.compression)
  const entry = manifest.entries.find((one) => one.name === name)
  if (!entry) throw new HostError('precheck', `${name} is not in the backup.`)
  const archive = Readable.from(verified(reader, entry))
  try {
    const bytes = through(archive, decompress(manifest.compression, signal))
    return await home.stage(staging, bytes, signal).catch(refuseTooMany)
  } finally {
    archive.destroy()
  }
}

/** Reports what exceeds the account's limit as a fault of the backup, not of a file in it. */
function refuseTooMany(error: unknown): never {
  if (!(error instanceof FileError && error.field === 'inodes_limit')) throw error
  throw new HostError('precheck', 'It has more files and directories than the account may still make.')
}
