import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  writeFileSync,
} from 'node:fs'
import { promisify } from 'node:util'
import type { Ids } from './owners.ts'

const flush = promisify(fsync)
const directory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const fresh = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW

/** Creates a file that must not exist yet and leaves it open, so that many can be synced at once. */
export function create(path: string, content: string, mode: number, owner?: Ids): number {
  const fd = openSync(path, fresh, 0o600)
  try {
    writeFileSync(fd, content)
    if (owner) fchownSync(fd, owner.uid, owner.gid)
    fchmodSync(fd, mode)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Syncs open files concurrently and off the event loop, and closes them. */
export async function flushAll(fds: readonly number[]): Promise<void> {
  const results = await Promise.allSettled(fds.map((fd) => flush(fd)))
  for (const fd of fds) closeSync(fd)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/** Syncs directories' entries. */
export async function flushDirs(paths: Iterable<string>): Promise<void> {
  await Promise.all(Array.from(new Set(paths), async (path) => flushAll([openSync(path, directory)])))
}

/** Creates a directory with exactly this mode; another account may have just created it. */
export function makeDir(path: string, mode: number, owner?: Ids): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) makeMissing(path)
  if (!found && owner) lchownSync(path, owner.uid, owner.gid)
  if (!found?.isDirectory() || (found.mode & 0o7777) !== mode) setDirMode(path, mode)
}

function makeMissing(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Sets a directory's mode and owner, never those of a symlink's target. */
export function setDirMode(path: string, mode: number, owner?: Ids): void {
  const fd = openSync(path, directory)
  try {
    if (owner) fchownSync(fd, owner.uid, owner.gid)
    if ((fstatSync(fd).mode & 0o7777) !== mode) fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}
