import { randomBytes } from 'node:crypto'
import { constants, lstatSync, type Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import { Descent } from '../../measure/descent.ts'
import { passing } from '../../measure/passing.ts'

/** The owner that earlier versions gave to what entered root's trash, and so to its other names in homes. */
const formerOwner = 0
const writableByOthers = 0o002
/** Remembered inodes: memory must not grow with what a tenant creates. */
const maxShared = 100_000

/**
 * Replaces what became root's in a home by the home's owner's own copy, as that owner. A root-owned link leads nginx
 * anywhere; a root-owned file that others can write on counts towards no quota. An inode with other names is never chowned.
 */
export async function reclaim(home: string, signal?: AbortSignal, owner = formerOwner): Promise<number> {
  const descent = Descent.into(home)
  if (!descent) return 0
  const shared = new Set<number>()
  let reclaimed = 0
  try {
    for (;;) {
      signal?.throwIfAborted()
      const name = descent.next()
      if (name === undefined) {
        if (descent.isAtTop || !descent.up()) return reclaimed
        continue
      }
      const path = descent.pathOf(name)
      const stats = passing(() => lstatSync(path))
      if (stats?.isDirectory()) descent.down(name)
      else if (stats?.uid === owner && (await replace(path, stats, shared))) reclaimed++
    }
  } finally {
    descent.close()
  }
}

/** A file that always had one name, and that only root writes, was put there by root. */
async function replace(path: Buffer, stats: Stats, shared: Set<number>): Promise<boolean> {
  if (stats.isSymbolicLink()) return replaceLink(path)
  if (!stats.isFile()) return false
  // The last of several names has no others left by then.
  if (stats.nlink > 1 && shared.size < maxShared) shared.add(stats.ino)
  const isRoots = stats.nlink < 2 && !shared.has(stats.ino) && !(stats.mode & writableByOthers)
  return isRoots ? false : replaceFile(path, stats)
}

async function replaceLink(path: Buffer): Promise<boolean> {
  const target = await fs.readlink(path, { encoding: 'buffer' })
  return inPlace(path, (copy) => fs.symlink(target, copy))
}

async function replaceFile(path: Buffer, { mode }: Stats): Promise<boolean> {
  const copied = await inPlace(path, async (copy) => {
    await fs.copyFile(path, copy, constants.COPYFILE_EXCL)
    await fs.chmod(copy, mode & 0o777)
  })
  if (copied || !(mode & writableByOthers)) return copied
  return fs.unlink(path).then(
    () => true,
    () => false,
  )
}

/** Makes the copy beside it, and renames it over the original; false if that failed. */
async function inPlace(path: Buffer, make: (copy: Buffer) => Promise<void>): Promise<boolean> {
  const above = path.subarray(0, path.lastIndexOf('/') + 1)
  const copy = Buffer.concat([above, Buffer.from(`.panel-reclaim-${randomBytes(6).toString('hex')}`)])
  try {
    await make(copy)
    await fs.rename(copy, path)
    return true
  } catch {
    await fs.rm(copy, { force: true })
    return false
  }
}
