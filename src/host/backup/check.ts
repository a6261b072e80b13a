import { createHash } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import type { BackupCheck, BackupFindings, BackupTexts } from '../contract/commands/backups.ts'
import type { Doing } from '../contract/commands/index.ts'
import { HostError } from '../contract/error.ts'
import { ProgramError } from '../programs/error.ts'
import { type BackupManifest, type ManifestEntry, manifestIn, manifestName, sha256Of } from './manifest.ts'
import { partOf } from './part-of.ts'
import { type BackupReader, MAX_MANIFEST_BYTES } from './reader.ts'
import { type Roots, readerAt } from './readers.ts'

/** restic's messages about corrupt data, as opposed to an unreachable repository. */
const damaged =
  /ciphertext verification failed|invalid data|wrong (?:size|data)|hash|not found in|does not exist|cannot find/i

export const isDamage = (error: unknown): boolean =>
  error instanceof HostError && damaged.test(error instanceof ProgramError ? error.line : error.message)

/** Reads a whole backup and verifies it against its manifest. */
export async function check(
  roots: Roots,
  home: string | undefined,
  request: BackupCheck,
  options: Doing,
): Promise<BackupFindings> {
  const reader = await readerAt(roots, request.place, options.signal)
  const manifest = await readManifest(reader, request.manifestSha256)
  if (typeof manifest === 'string') return { damage: [manifest], contentBytes: 0 }
  const damage: string[] = []
  const entries = manifest.entries.filter(({ name }) => request.parts?.includes(partOf(name)) ?? true)
  for (const [at, entry] of entries.entries()) {
    damage.push(...(await problemsOf(reader, entry, options.signal)))
    options.progress?.(`${entry.name} was read`, (at + 1) / entries.length)
  }
  const forHome = entries.filter(({ name }) => partOf(name) !== 'mysql')
  const contentBytes = forHome.reduce((sum, { content_bytes = 0 }) => sum + content_bytes, 0)
  return { damage, contentBytes, ...(home !== undefined && { freeBytes: await freeAt(home) }) }
}

async function freeAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/** A backup's text files, verified. */
export async function readTexts(roots: Roots, { place, manifestSha256 }: BackupCheck): Promise<BackupTexts> {
  const reader = await readerAt(roots, place)
  const manifest = await readManifest(reader, manifestSha256)
  if (typeof manifest === 'string') throw new HostError('stage', `The backup is damaged: ${manifest}`)
  const texts = []
  for (const { name, bytes, sha256 } of manifest.entries.filter(({ name }) => /\.(?:json|zone)$/.test(name))) {
    const text = (await allOf(reader, name, bytes)).toString('utf8')
    if (sha256Of(text) !== sha256) throw new HostError('stage', `The backup is damaged: ${name} has changed.`)
    texts.push({ name, text })
  }
  return { texts, contents: (['files', 'mail'] as const).map((part) => ({ part, ...contentOf(manifest, part) })) }
}

function contentOf({ entries }: BackupManifest, part: string): { bytes: number; inodes: number } {
  const own = entries.filter(({ name }) => partOf(name) === part)
  return {
    bytes: own.reduce((sum, { content_bytes = 0 }) => sum + content_bytes, 0),
    inodes: own.reduce((sum, { content_inodes = 0 }) => sum + content_inodes, 0),
  }
}

/** Returns the manifest, or what is wrong with it. */
export async function readManifest(reader: BackupReader, sha256: string): Promise<BackupManifest | string> {
  if ((await reader.sizeOf(manifestName)) === undefined) return `${manifestName} is missing.`
  const bytes = await allOf(reader, manifestName, MAX_MANIFEST_BYTES)
  if (sha256Of(bytes) !== sha256) return `${manifestName} has changed.`
  return manifestIn(bytes.toString()) ?? `${manifestName} is not the manifest of a backup.`
}

/** A file's bytes, and no more than it may have; the rest is not read, and its checksum does not fit. */
async function allOf(reader: BackupReader, name: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of reader.read(name)) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) break
  }
  return Buffer.concat(chunks)
}

/**
 * A file's bytes, which end with an error if they are not those of the manifest: what keeps a repository can change them
 * between two reads.
 */
export async function* verified(
  reader: BackupReader,
  { name, bytes, sha256 }: ManifestEntry,
): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256')
  let count = 0
  for await (const chunk of reader.read(name)) {
    count += chunk.length
    if (count > bytes) break
    hash.update(chunk)
    yield chunk
  }
  if (count !== bytes || hash.digest('hex') !== sha256)
    throw new HostError('precheck', `The backup is damaged: ${name} has changed.`)
}

/** What is wrong with a file of a backup, one sentence each. */
export async function problemsOf(
  reader: BackupReader,
  { name, bytes, sha256 }: ManifestEntry,
  signal?: AbortSignal,
): Promise<string[]> {
  if ((await reader.sizeOf(name)) === undefined) return [`${name} is missing.`]
  const hash = createHash('sha256')
  let count = 0
  try {
    for await (const chunk of reader.read(name)) {
      hash.update(chunk)
      count += chunk.length
      if (count > bytes) return [`${name} has more than ${bytes} bytes.`]
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (!isDamage(error)) throw error
    return [`${name} cannot be read: ${(error as Error).message}`]
  }
  if (count !== bytes) return [`${name} has ${count} bytes, not ${bytes}.`]
  return hash.digest('hex') === sha256 ? [] : [`${name} has changed.`]
}
