import { lstatSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Offer } from './offer.ts'

/** Long enough for a few Tab presses on one line. */
const lifetime = 15_000

/** What the names depend on: server, caller, list. */
export type CacheKey = readonly unknown[]

/** Recently read names. */
export function cached(key: CacheKey): Offer[] | undefined {
  try {
    const file = fileOf(key)
    if (!file || Date.now() - statSync(file).mtimeMs > lifetime) return undefined
    return JSON.parse(readFileSync(file, 'utf8')) as Offer[]
  } catch {
    return undefined
  }
}

/** Caches names for the next Tab press, if there is a private folder for them. */
export function keep(key: CacheKey, offers: readonly Offer[]): void {
  try {
    const file = fileOf(key)
    if (!file) return
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(offers), { mode: 0o600 })
    renameSync(`${file}.${process.pid}`, file)
  } catch {
    // The next press reads again.
  }
}

function fileOf(key: CacheKey): string | undefined {
  const folder = ownFolder()
  if (!folder) return undefined
  const { createHash } = process.getBuiltinModule('node:crypto')
  // Hashed, since the key holds a token, which a file name must not reveal.
  return join(folder, createHash('sha256').update(JSON.stringify(key)).digest('hex'))
}

/** A folder that only this user can read or write. */
function ownFolder(): string | undefined {
  const runtime = process.env['XDG_RUNTIME_DIR']
  if (!runtime) return undefined
  const folder = join(runtime, 'panel')
  mkdirSync(folder, { mode: 0o700, recursive: true })
  const { uid, mode } = lstatSync(folder)
  return uid === process.getuid?.() && (mode & 0o777) === 0o700 ? folder : undefined
}
