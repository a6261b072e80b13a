import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '../shared/files.ts'
import { keyBytes, keyFiles, keysIn, newKeyLine } from '../shared/keys.ts'

/**
 * The server's own keys, made at first start; the one to seal with comes first. What they sealed cannot be read
 * without them, so that none is made where something is sealed. There are two only while one takes the place of the
 * other.
 */
export function ownKeys(dataDir: string, countSealed: () => number): Buffer[] {
  const file = join(dataDir, keyFiles[0])
  if (!existsSync(file)) {
    const sealed = countSealed()
    if (sealed > 0) throw lost(file, sealed)
    writePrivate(file, randomBytes(keyBytes))
  }
  return keysIn(dataDir)
}

const lost = (file: string, sealed: number): Error =>
  new Error(
    `${file} is missing, and only it can decrypt ${sealed} values in the store: restore it from your backup, or give up these webhook secrets, second factors and DNSSEC keys with a new one: ${newKeyLine(file)}`,
  )
