import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

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
  syncDirectory(dirname(file))
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** The server's own key (32 bytes), made at first start. What it encrypts cannot be read without it. */
export function ownKey(dataDir: string): Buffer {
  const file = join(dataDir, 'secret.key')
  try {
    const key = readFileSync(file)
    if (key.length === 32) return key
    throw new Error(`${file} is not a panel key: it must hold 32 bytes. Restore it from your backup.`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const key = randomBytes(32)
  writePrivate(file, key)
  return key
}

/** Makes the data directory if need be; only its owner may enter it. */
export function prepareDirectory(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const mode = statSync(dataDir).mode & 0o777
  if (mode & 0o077)
    throw new Error(`${dataDir} can be entered by others (mode ${mode.toString(8)}). Run: chmod 700 ${dataDir}`)
}
