import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '../shared/files.ts'

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
