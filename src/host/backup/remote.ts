import { readdir, rm } from 'node:fs/promises'
import type { BackupPartName } from '../contract/backups.ts'
import type { BackupRequest, SavedBackup, SavedPart } from '../contract/commands/backups.ts'
import type { Doing } from '../contract/commands/index.ts'
import { HostError } from '../contract/error.ts'
import { manifestName } from './manifest.ts'
import { partOf } from './part-of.ts'
import { directoryOf } from './place.ts'
import type { Roots } from './readers.ts'
import { Restic } from './restic/restic.ts'

/** Uploads a local backup to a repository: one snapshot, which replaces what a crash left. */
export async function upload(
  { backups, host }: Roots,
  { place }: BackupRequest,
  saved: SavedBackup,
  { signal, progress }: Doing,
): Promise<SavedBackup> {
  const directory = directoryOf(backups, place)
  const restic = new Restic(place.repository!, { host, signal })
  try {
    const former = await restic.prepare(place.backup)
    if (former.length > 0) await restic.forget(former)
    const names = (await readdir(directory)).sort()
    const unread = await restic.save(directory, names, place, (share) =>
      progress?.(`${Math.round(share * 100)} % is in the repository`, share),
    )
    return without(saved, unread)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A file that restic could not read means that its part was not saved. */
function without(saved: SavedBackup, unread: readonly string[]): SavedBackup {
  if (unread.includes(manifestName)) throw new HostError('stage', `restic could not read ${manifestName}.`)
  const failed = new Map<BackupPartName, SavedPart>()
  for (const name of unread) {
    const part = partOf(name)
    failed.set(part, { part, status: 'failed', error: `restic could not read ${name}.` })
  }
  const parts = saved.parts.filter(({ part }) => !failed.has(part))
  return { ...saved, parts: [...parts, ...failed.values()] }
}
