import { hkdfSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The server's key and, during a rotation, the next one. */
export const keyFiles = ['secret.key', 'secret.key.next'] as const

export const keyBytes = 32

/** Derives a key for one use: a signing key cannot decrypt. */
export const derivedKey = (key: Buffer, use: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `panel ${use}`, bytes))

/** A key's id, which reveals nothing about it. */
export const keyId = (key: Buffer): string => derivedKey(key, 'key id', 6).toString('hex')

/** The command that replaces a lost key; what the lost one encrypted is given up. */
export const newKeyLine = (file: string): string => `(umask 077; head -c ${keyBytes} /dev/urandom > ${file})`

/** The keys in a data directory, the current one first. Throws for an invalid file. */
export const keysIn = (dataDir: string): Buffer[] =>
  keyFiles.map((name) => join(dataDir, name)).flatMap((file) => (existsSync(file) ? [readKey(file)] : []))

function readKey(file: string): Buffer {
  const key = readFileSync(file)
  if (key.length === keyBytes) return key
  throw new Error(`${file} is not a panel key: it must hold ${keyBytes} bytes. Restore it from your backup.`)
}
