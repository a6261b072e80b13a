import { type Compression, compress, compressions, through } from '../archive/compress.ts'
import { Packer } from '../archive/pack.ts'
import type { BackupOptions, ReadPart, SavedPart } from '../backups.ts'
import { HostError } from '../error.ts'
import type { Directory } from '../home/directory.ts'
import { asHostError } from '../install/user-message.ts'
import type { ManifestEntry } from './manifest.ts'
import { superseded } from './releases.ts'
import { writeEntry } from './write.ts'

/** Directories of a home outside of `files`: mail is a part by itself, the rest is not saved. */
const leftOut = new Set(['mail', 'tmp', '.trash', '.panel'])
const ours = /^restore-[0-9A-HJKMNP-TV-Z]{26}$/

/** Where a backup is being written, and how. */
export interface Target {
  readonly folder: string
  readonly compression: Compression
}

export const archiveName = (part: ReadPart, compression: Compression): string =>
  `${part}.tar.${compressions[compression]}`

/** Saves one part of a home. A fault is the part's alone: the others are saved all the same. */
export async function savePart(
  home: Directory,
  part: ReadPart,
  target: Target,
  options: BackupOptions,
): Promise<{ readonly saved: SavedPart; readonly entry?: ManifestEntry }> {
  try {
    const from = part === 'files' ? await home.again() : await mailOf(home)
    return from ? await packed(from, part, target, options) : { saved: { part, status: 'absent' } }
  } catch (error) {
    options.signal?.throwIfAborted()
    if (isOfTarget(error)) throw error
    return { saved: { part, status: 'failed', error: asHostError('stage', error).message } }
  }
}

/** A full disk is no fault of a part. */
const isOfTarget = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')

async function mailOf(home: Directory): Promise<Directory | undefined> {
  const mail = Buffer.from('mail')
  const stats = await home.find(mail)
  if (!stats) return undefined
  if (!stats.isDirectory()) throw new HostError('stage', 'mail: there is no directory in its place.')
  return home.down(mail)
}

async function packed(from: Directory, part: ReadPart, target: Target, { signal }: BackupOptions) {
  try {
    const old = part === 'files' ? await superseded(from) : new Set<string>()
    const leavesOut = (path: readonly Buffer[]): boolean =>
      part === 'files' && (isLeftOut(path) || (path.length === 4 && old.has(Buffer.concat(path).toString('latin1'))))
    const packer = new Packer({ leavesOut, signal })
    const bytes = through(packer.pack(from), compress(target.compression, signal))
    const written = await writeEntry(target.folder, archiveName(part, target.compression), bytes)
    const entry = { ...written, content_bytes: packer.bytes }
    const warnings = packer.told()
    const saved = { part, status: 'ok' as const, files: packer.files, bytes: entry.bytes }
    return { saved: { ...saved, ...(warnings.length > 0 && { warnings }) }, entry }
  } finally {
    await from.close()
  }
}

export function isLeftOut(path: readonly Buffer[]): boolean {
  const [name] = path.length === 1 ? [path[0]!.toString('latin1')] : []
  return name !== undefined && (leftOut.has(name) || ours.test(name))
}
