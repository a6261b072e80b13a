import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirectory, syncPath } from '../shared/files.ts'

/**
 * The files that a restore puts in place, in this order: the old store's WAL is removed before the store it belongs to.
 */
const names = ['panel.db-wal', 'panel.db-shm', 'panel.db', 'secret.key', 'secret.key.next', 'tls', 'incarnation']

const ready = /^restore-(\w+)\.ready$/

/** Where a restore is prepared. It has no effect until it is renamed to `readyFolder`. */
export const stagingFolder = (dataDir: string): string => join(dataDir, 'restore.new')
/** Once this name exists the restore is committed, and the next start finishes it. */
export const readyFolder = (dataDir: string, stamp: string): string => join(dataDir, `restore-${stamp}.ready`)
/** Where the replaced files are kept. */
export const backupFolder = (dataDir: string, stamp: string): string => join(dataDir, `before-restore-${stamp}`)

type Rename = readonly [from: string, to: string]

/** The stamp of a restore that was committed but not finished. */
export const pendingSwap = (dataDir: string): string | undefined =>
  readdirSync(dataDir).flatMap((name) => ready.exec(name)?.[1] ?? [])[0]

/** The next file to move. Depends only on which files exist, so it is correct after a crash too. */
export function nextRename(dataDir: string, stamp: string): Rename | undefined {
  const [fresh, backup] = [readyFolder(dataDir, stamp), backupFolder(dataDir, stamp)]
  const storeIsOld = existsSync(join(fresh, 'panel.db'))
  for (const name of names) {
    const replaced = existsSync(join(fresh, name))
    const outdated = replaced || (storeIsOld && name.startsWith('panel.db-'))
    if (outdated && existsSync(join(dataDir, name))) return [join(dataDir, name), join(backup, name)]
    if (replaced) return [join(fresh, name), join(dataDir, name)]
  }
  return undefined
}

/** Finishes a committed restore, also an interrupted one. The caller holds the directory's lock. */
export function finishSwap(dataDir: string): void {
  const stamp = pendingSwap(dataDir)
  if (stamp === undefined) return
  for (let rename = nextRename(dataDir, stamp); rename; rename = nextRename(dataDir, stamp))
    move(dataDir, stamp, rename)
  rmSync(readyFolder(dataDir, stamp), { recursive: true })
  syncPath(dataDir)
}

function move(dataDir: string, stamp: string, [from, to]: Rename): void {
  const backup = backupFolder(dataDir, stamp)
  if (to.startsWith(backup)) makeDirectory(backup)
  renameSync(from, to)
  if (existsSync(backup)) syncPath(backup)
  syncPath(dataDir)
}
