import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { BackupPlace } from '../../contract/commands/backups.ts'
import type { Bytes } from '../write.ts'

const unpack = promisify(gunzip)
const pack = promisify(gzip)

/** Indexes of what backups contain: names, sizes and times, no contents. */
export const contentsFolder = (host: string): string => join(host, 'var/lib/panel-host/backup-index')

/** Of all backups together: the least recently used are removed. */
const MAX_INDEXES_BYTES = 5 * 1024 ** 3
/** Of lines, before compression: what a page reads of it. */
const BLOCK_BYTES = 64 * 1024
const FOOTER_BYTES = 16

/** An index belongs to one state of a backup. */
const fileOf = (host: string, { account, backup }: BackupPlace, manifestSha256: string): string =>
  join(
    contentsFolder(host),
    account,
    `${backup}-${createHash('sha256').update(manifestSha256).digest('hex').slice(0, 16)}`,
  )

/** A block of lines: the first one's key, and where it is in the file. */
type Block = readonly [key: string, start: number, length: number]

const keyIn = (line: string): string => line.slice(0, line.indexOf('\t', line.indexOf('\t') + 1))

/** Writes an index from sorted lines, which each end with a newline. */
export async function writeIndex(host: string, place: BackupPlace, manifestSha256: string, lines: Bytes) {
  const path = fileOf(host, place, manifestSha256)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(`${path}.partial`, 'w', 0o600)
  try {
    await writeBlocks(file, lines)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.partial`, path)
  await removeOldest(host, path)
}

async function writeBlocks(file: FileHandle, lines: Bytes): Promise<void> {
  const blocks: Block[] = []
  let at = 0
  let buffered = ''
  const write = async (text: string): Promise<void> => {
    const bytes = await pack(Buffer.from(text, 'latin1'))
    await file.writeFile(bytes)
    blocks.push([keyIn(text), at, bytes.length])
    at += bytes.length
  }
  for await (const chunk of lines) {
    buffered += chunk.toString('latin1')
    const end = buffered.length >= BLOCK_BYTES ? buffered.lastIndexOf('\n') + 1 : 0
    if (end === 0) continue
    await write(buffered.slice(0, end))
    buffered = buffered.slice(end)
  }
  if (buffered !== '') await write(buffered)
  const table = await pack(JSON.stringify(blocks))
  await file.writeFile(table)
  await file.writeFile(footerOf(at, table.length))
}

function footerOf(start: number, length: number): Buffer {
  const footer = Buffer.alloc(FOOTER_BYTES)
  footer.writeDoubleBE(start, 0)
  footer.writeDoubleBE(length, 8)
  return footer
}

/** The lines of an index from a key on, in order; undefined if there is no index. */
export async function readIndex<T>(
  host: string,
  place: BackupPlace,
  manifestSha256: string,
  read: (linesFrom: (key: string) => AsyncGenerator<string>) => Promise<T>,
): Promise<T | undefined> {
  const path = fileOf(host, place, manifestSha256)
  const file = await open(path, 'r').catch(unlessAbsent)
  if (!file) return undefined
  try {
    const now = new Date()
    await utimes(path, now, now)
    const blocks = await blocksOf(file)
    return await read((key) => linesFrom(file, blocks, key))
  } finally {
    await file.close()
  }
}

async function blocksOf(file: FileHandle): Promise<readonly Block[]> {
  const { size } = await file.stat()
  const footer = await bytesAt(file, size - FOOTER_BYTES, FOOTER_BYTES)
  const table = await bytesAt(file, footer.readDoubleBE(0), footer.readDoubleBE(8))
  return JSON.parse((await unpack(table)).toString()) as Block[]
}

async function bytesAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  await file.read(bytes, 0, length, start)
  return bytes
}

/** Begins with the last block that starts at or before the key. */
async function* linesFrom(file: FileHandle, blocks: readonly Block[], key: string): AsyncGenerator<string> {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (blocks[middle]![0] <= key) low = middle + 1
    else high = middle
  }
  for (const [, start, length] of blocks.slice(Math.max(0, low - 1))) {
    const text = (await unpack(await bytesAt(file, start, length))).toString('latin1')
    for (const line of text.split('\n')) if (line !== '' && keyIn(line) >= key) yield line
  }
}

/** Removes the indexes of one backup. */
export async function removeIndexes(host: string, { account, backup }: Pick<BackupPlace, 'account' | 'backup'>) {
  const folder = join(contentsFolder(host), account)
  for (const name of (await readdir(folder).catch(unlessAbsent)) ?? [])
    if (name.startsWith(`${backup}-`)) await rm(join(folder, name), { force: true })
}

export const removeIndexesOf = (host: string, account: string): Promise<void> =>
  rm(join(contentsFolder(host), account), { recursive: true, force: true })

async function removeOldest(host: string, fresh: string): Promise<void> {
  const files: { path: string; size: number; used: number }[] = []
  const root = contentsFolder(host)
  for (const account of await readdir(root))
    for (const name of (await readdir(join(root, account)).catch(unlessAbsent)) ?? []) {
      const path = join(root, account, name)
      const stats = await stat(path).catch(unlessAbsent)
      if (stats && path !== fresh) files.push({ path, size: stats.size, used: stats.mtimeMs })
    }
  let bytes = files.reduce((sum, { size }) => sum + size, (await stat(fresh)).size)
  for (const { path, size } of files.sort((one, other) => one.used - other.used)) {
    if (bytes <= MAX_INDEXES_BYTES) return
    await rm(path, { force: true })
    bytes -= size
  }
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
