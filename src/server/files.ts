import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '../shared/files.ts'
import { keyBytes, keyFiles, keysIn, newKeyLine } from '../shared/keys.ts'

/**
 * Reads the server's keys, creating one at the first start; the one that encrypts comes first. No key is created if the
 * store holds encrypted values, which only the lost key can decrypt. There are two only during a rotation.
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
