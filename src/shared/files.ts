import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

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
  renameSync(fresh, file)
  syncPath(dirname(file))
}

/** Waits until a file, or the names in a folder, are on the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Makes the data directory if need be; only its owner may enter it. One that is empty yet holds no secret, and is closed. */
export function prepareDirectory(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (modeOf(dataDir) & 0o077 && readdirSync(dataDir).length === 0) chmodSync(dataDir, 0o700)
  const mode = modeOf(dataDir)
  if (mode & 0o077)
    throw new Error(`${dataDir} can be entered by others (mode ${mode.toString(8)}). Run: chmod 700 ${dataDir}`)
}

const modeOf = (path: string): number => statSync(path).mode & 0o777
