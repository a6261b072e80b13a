import { mkdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { BackupCheck } from '../../contract/commands/backups.ts'
import type { Doing } from '../../contract/commands/index.ts'
import { HostError } from '../../contract/error.ts'
import { type Compression, decompress, through, throughProgram } from '../../homes/archive/compress.ts'
import type { ReadEntry } from '../../homes/archive/entry.ts'
import { tarEntries } from '../../homes/archive/tar-read.ts'
import { readManifest, verified } from '../check.ts'
import type { BackupManifest, ManifestEntry } from '../manifest.ts'
import { databaseIn, partOf } from '../part-of.ts'
import type { BackupReader } from '../reader.ts'
import { type Roots, readerAt } from '../readers.ts'
import type { Bytes } from '../write.ts'
import { type ContentsEntry, lineOf, toIndex } from './line.ts'
import { contentsFolder, writeIndex } from './store.ts'
import { tablesIn } from './tables.ts'

/** Entries of a backup that are indexed. */
const MAX_ENTRIES = 5_000_000
/** Of its memory; what does not fit is sorted in files. */
const SORT_MEMORY = '32M'

interface ContentsReading {
  readonly reader: BackupReader
  readonly compression: Compression
  readonly signal: AbortSignal | undefined
}

/** Indexes what a backup contains, with bounded memory: its entries are sorted by a program. */
export async function indexBackup(
  roots: Roots,
  { place, manifestSha256 }: BackupCheck,
  options: Doing = {},
): Promise<void> {
  const { signal } = options
  const reader = await readerAt(roots, place, signal)
  const manifest = await readManifest(reader, manifestSha256)
  if (typeof manifest === 'string') throw new HostError('stage', `The backup is damaged: ${manifest}`)
  const reading = { reader, compression: manifest.compression, signal }
  await mkdir(contentsFolder(roots.host), { recursive: true, mode: 0o700 })
  const sort = throughProgram('sort', ['-S', SORT_MEMORY, '-T', contentsFolder(roots.host)], signal)
  const lines = Readable.from(linesOf(manifest, reading, options), { objectMode: false })
  await writeIndex(roots.host, place, manifestSha256, through(lines, sort))
}

async function* linesOf(
  manifest: BackupManifest,
  reading: ContentsReading,
  { progress }: Doing,
): AsyncGenerator<Buffer> {
  let count = 0
  for (const [at, entry] of manifest.entries.entries()) {
    for await (const line of linesIn(entry, reading)) {
      if (++count > MAX_ENTRIES) throw new HostError('stage', `The backup has more than ${MAX_ENTRIES} entries.`)
      yield Buffer.from(`${line}\n`, 'latin1')
    }
    progress?.(`${entry.name} was read`, (at + 1) / manifest.entries.length)
  }
}

async function* linesIn(entry: ManifestEntry, reading: ContentsReading): AsyncGenerator<string> {
  const part = partOf(entry.name)
  if (part === 'files') yield* filesIn(entry, reading)
  else if (part === 'mail') yield* mailIn(entry, reading)
  else if (part === 'mysql') yield* tablesOf(entry, reading)
  else if (part === 'dns') yield lineOf(part, '', { name: zoneIn(entry.name), type: 'zone', size: entry.bytes })
  else yield lineOf(part, '', { name: entry.name, type: 'file', size: entry.bytes })
}

const zoneIn = (name: string): string => name.replace(/^dns\//, '').replace(/\.zone$/, '')

const contentOf = (entry: ManifestEntry, { reader, compression, signal }: ContentsReading): Bytes =>
  through(verified(reader, entry), decompress(compression, signal))

const pathOf = (path: Buffer): string => toIndex(path).replace(/\/+$/, '')

async function* filesIn(entry: ManifestEntry, reading: ContentsReading): AsyncGenerator<string> {
  for await (const found of tarEntries(contentOf(entry, reading))) {
    const path = pathOf(found.path)
    const end = path.lastIndexOf('/')
    yield lineOf('files', path.slice(0, Math.max(0, end)), { name: path.slice(end + 1), ...statsOf(found) })
  }
}

const statsOf = ({ type, size, mtime, mode }: ReadEntry): Omit<ContentsEntry, 'name'> => ({
  type: type === 'hard' || type === 'other' ? 'file' : type,
  ...(type === 'file' && { size }),
  mtime: Math.trunc(mtime),
  ...(type !== 'link' && { mode }),
})

/** Mailboxes and their folders, with the sizes of their messages. */
async function* mailIn(entry: ManifestEntry, reading: ContentsReading): AsyncGenerator<string> {
  const sizes = new Map<string, number>()
  const add = (name: string, size: number) => sizes.set(name, (sizes.get(name) ?? 0) + size)
  for await (const found of tarEntries(contentOf(entry, reading))) {
    const [domain, local, below = ''] = pathOf(found.path).split('/')
    if (!local || (found.type !== 'directory' && below === '')) continue
    const size = found.type === 'file' ? found.size : 0
    add(`${local}@${domain}`, size)
    add(`${local}@${domain}\t${below.startsWith('.') ? below.slice(1) : 'INBOX'}`, size)
  }
  for (const [key, size] of sizes) {
    const [mailbox = '', folder] = key.split('\t')
    if (folder === undefined) yield lineOf('mail', '', { name: mailbox, type: 'mailbox', size })
    else yield lineOf('mail', mailbox, { name: folder, type: 'folder', size })
  }
}

async function* tablesOf(entry: ManifestEntry, reading: ContentsReading): AsyncGenerator<string> {
  const database = databaseIn(entry.name)
  const size = entry.content_bytes ?? entry.bytes
  yield lineOf('mysql', '', { name: database, type: 'database', size })
  for await (const table of tablesIn(contentOf(entry, reading)))
    yield lineOf('mysql', toIndex(Buffer.from(database)), { name: toIndex(table), type: 'table' })
}
