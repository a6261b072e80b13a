import { hkdfSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The server's own key, and beside it the next one while a change of keys is under way. */
export const keyFiles = ['secret.key', 'secret.key.next'] as const

export const keyBytes = 32

/** A key for one use: what signs cannot open what was sealed. */
export const derivedKey = (key: Buffer, use: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `panel ${use}`, bytes))

/** The name of a key, which says nothing about it. */
export const keyId = (key: Buffer): string => derivedKey(key, 'key id', 6).toString('hex')

/** What to type for a new key in place of a lost one: what the lost one encrypted is given up. */
export const newKeyLine = (file: string): string => `(umask 077; head -c ${keyBytes} /dev/urandom > ${file})`

/** The keys that lie in a data directory, the current one first. Throws for an invalid file. */
export const keysIn = (dataDir: string): Buffer[] =>
  keyFiles.map((name) => join(dataDir, name)).flatMap((file) => (existsSync(file) ? [readKey(file)] : []))

function readKey(file: string): Buffer {
  const key = readFileSync(file)
  if (key.length === keyBytes) return key
  throw new Error(`${file} is not a panel key: it must hold ${keyBytes} bytes. Restore it from your backup.`)
}
