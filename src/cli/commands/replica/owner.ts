import { chownSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writePrivate } from '../../../shared/files.ts'

/** Whose data directory it is, where root sets up a second copy for a server that runs as another user. */
export interface FileOwner {
  readonly uid: number
  readonly gid: number
}

/** Nothing where the directory is of the user who asks. */
export function ownerOf(dataDir: string): FileOwner | undefined {
  const { uid, gid } = statSync(dataDir)
  return process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : undefined
}

/** A folder that is missing is made: systemd gives a unit only those that are there. */
export function madeFor(owner: FileOwner | undefined, folder: string): string {
  if (existsSync(folder)) return folder
  madeFor(owner, dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
  if (owner) chownSync(folder, owner.uid, owner.gid)
  return folder
}

/** A key that only root can read is copied into the data directory, for the user that Litestream runs as. */
export function keyFor(owner: FileOwner | undefined, key: string, dataDir: string): string {
  if (!owner) return key
  const copy = join(dataDir, 'replica.key')
  writePrivate(copy, readFileSync(key))
  return copy
}
