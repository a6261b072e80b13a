import { lstatSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Offer } from './offer.ts'

/** Long enough for the presses of one line. */
const lifetime = 15_000

/** What the names belong to: server, caller, list. */
export type Key = readonly unknown[]

/** Names that were read a moment ago. */
export function kept(key: Key): Offer[] | undefined {
  try {
    const file = fileOf(key)
    if (!file || Date.now() - statSync(file).mtimeMs > lifetime) return undefined
    return JSON.parse(readFileSync(file, 'utf8')) as Offer[]
  } catch {
    return undefined
  }
}

/** Keeps names for the next press of Tab, where there is a place of one's own for such things. */
export function keep(key: Key, offers: readonly Offer[]): void {
  try {
    const file = fileOf(key)
    if (!file) return
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(offers), { mode: 0o600 })
    renameSync(`${file}.${process.pid}`, file)
  } catch {
    // Then the next press asks again.
  }
}

function fileOf(key: Key): string | undefined {
  const folder = ownFolder()
  if (!folder) return undefined
  const { createHash } = process.getBuiltinModule('node:crypto')
  // The key holds a token, which must not be read from a file name.
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
