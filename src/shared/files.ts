import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { readable } from './system-error.ts'

/** What root makes in the directory of another user is that user's, whose programs could not open it otherwise. */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid !== 0) lchownSync(path, uid, gid)
}

/** A directory, with all that is in it. */
export function giveAllToOwner(folder: string): void {
  giveToOwner(folder)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    (entry.isDirectory() ? giveAllToOwner : giveToOwner)(join(folder, entry.name))
}

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivate(file: string, content: string | Buffer): void {
  const fresh = `${file}.new`
  const handle = openSync(fresh, 'w', 0o600)
  try {
    writeSync(handle, content as string)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  giveToOwner(fresh)
  renameSync(fresh, file)
  syncPath(dirname(file))
}

/** Creates an empty file if missing, and makes it private. */
export function ownFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  if (modeOf(file) & 0o077) chmodSync(file, 0o600)
  giveToOwner(file)
}

/** Flushes a file, or a folder's names, to the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Creates a directory and its parents. Node's recursive mkdir never returns if the kernel reports ENOENT (/proc/x). */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
  giveToOwner(path)
}

/** Creates the data directory if missing. It is private to its owner; an existing empty one is made private. */
export function prepareDirectory(dataDir: string): void {
  try {
    makeDirectory(dataDir)
    if (!statSync(dataDir).isDirectory()) throw new Error(`${dataDir} is not a directory. Choose one with --data-dir.`)
    if (modeOf(dataDir) & 0o077 && readdirSync(dataDir).length === 0) chmodSync(dataDir, 0o700)
  } catch (error) {
    throw readable(error, 'Choose a directory that you can write to with --data-dir.')
  }
  const mode = modeOf(dataDir)
  if (mode & 0o077)
    throw new Error(`${dataDir} is accessible to other users (mode ${mode.toString(8)}). Run: chmod 700 ${dataDir}`)
}

const modeOf = (path: string): number => statSync(path).mode & 0o777
