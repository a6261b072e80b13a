import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { RotateRequest } from '../contract/commands/logs.ts'
import { type Directory, holding } from '../homes/home/directory.ts'
import { cutLog } from './cut.ts'

const chunk = 256 * 1024
/** A rotated log: its day, its number on that day, and what became of it. */
export const dated = /-(\d{8})(?:\.(\d{1,3}))?(\.gz)?(\.partial)?$/
/** The numbered files of a log that is rotated by size, besides the day's own. */
export const MAX_PARTS_PER_DAY = 50

export const datedName = (name: string, day: string, part = 0): string =>
  `${name}-${day.replaceAll('-', '')}${part === 0 ? '' : `.${part}`}`

interface Rotation extends RotateRequest {
  /** Selects the logs being written. */
  readonly isLog: (name: string) => boolean
  /** Those whose writer does not reopen them. */
  readonly isInUse?: (name: string) => boolean
  readonly signal: AbortSignal | undefined
}

/** Renames logs by their day. Idempotent: a name is given only once. */
export async function renameLogs(directory: Directory, { day, isLog, isInUse, signal }: Rotation): Promise<void> {
  signal?.throwIfAborted()
  const rotated = await namesIn(directory, (name) => dated.test(name))
  for (const name of await namesIn(directory, isLog)) {
    const as = datedName(name, day)
    const [from, to] = [Buffer.from(name), Buffer.from(as)]
    const stats = await directory.find(from)
    if (!stats?.isFile() || stats.size === 0n) continue
    if ((await directory.find(to)) ?? (await directory.find(Buffer.from(`${as}.gz`)))) continue
    // It was rotated by size since that day ended: a file of an earlier day would be read before that one.
    if (rotated.some((other) => other > as && other.startsWith(`${name}-`))) continue
    if (isInUse?.(name)) await cutLog(directory, from, to)
    else await directory.rename(from, directory, to)
  }
}

/**
 * Compresses the logs of earlier days except the last, which its daemon may still be writing, and removes the oldest.
 */
export async function shrinkLogs(directory: Directory, { day, keepFrom, isLog, signal }: Rotation): Promise<void> {
  const isRotated = (name: string): boolean => dated.test(name) && isLog(name.replace(dated, ''))
  // Leftovers of a crash come first, as they block the final names.
  const names = (await namesIn(directory, isRotated)).sort((name) => (name.endsWith('.partial') ? -1 : 1))
  for (const name of names) {
    signal?.throwIfAborted()
    const [, of, , packed, partial] = dated.exec(name)!
    if (partial !== undefined || of! < keepFrom.replaceAll('-', '')) await directory.unlink(Buffer.from(name))
    else if (packed === undefined && of! < day.replaceAll('-', '')) await compress(directory, name)
  }
}

async function namesIn(directory: Directory, request: (name: string) => boolean): Promise<string[]> {
  const names: string[] = []
  for await (const bytes of directory.names()) {
    const name = bytes.toString('latin1')
    if (request(name)) names.push(name)
  }
  return names.sort()
}

/** Only a complete file gets its final name. */
async function compress(directory: Directory, name: string): Promise<void> {
  const [plain, partial] = [Buffer.from(name), Buffer.from(`${name}.gz.partial`)]
  const stats = await directory.find(plain)
  if (!stats?.isFile()) return
  const from = await directory.openToRead(plain)
  const to = await directory.create(partial, Number(stats.mode) & 0o777)
  try {
    await to.chown(Number(stats.uid), Number(stats.gid))
    await pipeline(bytesOf(from), createGzip(), async (packed) => {
      for await (const bytes of packed) await to.writeFile(bytes)
    })
    await to.sync()
  } finally {
    await Promise.all([from.close(), to.close()])
  }
  await directory.rename(partial, directory, Buffer.from(`${name}.gz`))
  await directory.unlink(plain)
}

async function* bytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunk), 0, chunk)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Visits the accounts' directories in the directory of all logs. */
export async function eachAccount(logs: Directory, act: (directory: Directory) => Promise<void>): Promise<void> {
  for await (const name of logs.names()) {
    const stats = await logs.find(name)
    if (stats?.isDirectory()) await holding(logs.down(name), act)
  }
}
