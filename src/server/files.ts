import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '../shared/files.ts'
import { keyBytes, keyFiles, keysIn } from '../shared/keys.ts'

/**
 * The server's own keys, made at first start; the one to seal with comes first. What they sealed cannot be read
 * without them. There are two only while one takes the place of the other.
 */
export function ownKeys(dataDir: string): Buffer[] {
  const file = join(dataDir, keyFiles[0])
  if (!existsSync(file)) writePrivate(file, randomBytes(keyBytes))
  return keysIn(dataDir)
}
