import type { FileHandle } from 'node:fs/promises'
import { day as oneDay } from '../../shared/time.ts'
import type { LogPlace, ReadTo } from '../contract/commands/logs.ts'
import type { Directory } from '../homes/home/directory.ts'
import { datedName } from './rotate.ts'

const chunk = 256 * 1024
/** No daemon writes longer lines; longer ones are skipped. */
const MAX_LINE_BYTES = 64 * 1024
const newline = 0x0a
const RETENTION_DAYS = 31

interface ReadRange {
  readonly since?: LogPlace | undefined
  readonly maxBytes: number
  /** Today. */
  readonly last: string
  /** How many numbered files a day may have besides its own; none if absent. */
  readonly parts?: number
}

export interface ReadLog extends ReadTo {
  /** In bytes. */
  readonly length: number
}

/** Reads complete lines of a log from a position on, across the files that it was rotated to. */
export async function readOn(
  directory: Directory,
  name: string,
  { since, maxBytes: max, last, parts = 0 }: ReadRange,
  take: (line: string) => void,
): Promise<ReadLog> {
  const names = namesOf(name, last, parts)
  let place = since ?? { file: '0', offset: 0 }
  for (let length = 0; ; ) {
    const file = await fileAt(directory, names, place)
    if (!file) return { next: place, more: false, length }
    try {
      const from = holds(file, place) ? place.offset : 0
      const { offset, at } = await readLines(file, { from, maxBytes: max - length }, take)
      length += at - from
      place = { file: file.ino, offset }
      const newer = at < file.size ? undefined : await newerThan(directory, names, file)
      if (newer === undefined) return { next: place, more: at < file.size, length }
      place = { file: newer, offset: 0 }
      if (length >= max) return { next: place, more: true, length }
    } finally {
      await file.handle.close()
    }
  }
}

/** The current file's name, then those of rotated ones, the newest first. */
function namesOf(name: string, last: string, parts: number): string[] {
  const today = Date.parse(last)
  const days = Array.from({ length: RETENTION_DAYS }, (_, n) => new Date(today - n * oneDay).toISOString().slice(0, 10))
  const numbers = Array.from({ length: parts + 1 }, (_, n) => parts - n)
  return [name, ...days.flatMap((day) => numbers.map((part) => datedName(name, day, part)))]
}

interface Opened {
  readonly handle: FileHandle
  readonly name: string
  readonly ino: string
  readonly size: number
}

/** The file of a position; the current one if that is gone. */
async function fileAt(directory: Directory, names: readonly string[], place: LogPlace): Promise<Opened | undefined> {
  const current = await open(directory, names[0]!)
  if (holds(current, place) || place.file === '0') return current
  for (const name of names.slice(1)) {
    const rotated = await open(directory, name)
    if (holds(rotated, place)) {
      await current?.handle.close()
      return rotated
    }
    await rotated?.handle.close()
  }
  return current
}

const holds = (file: Opened | undefined, { file: ino, offset }: LogPlace): boolean =>
  file?.ino === ino && file.size >= offset

/** The file that followed a given one. */
async function newerThan(
  directory: Directory,
  names: readonly string[],
  { name }: Opened,
): Promise<string | undefined> {
  for (const newer of names.slice(0, names.indexOf(name)).reverse()) {
    const stats = await directory.find(Buffer.from(newer))
    if (stats?.isFile()) return String(stats.ino)
  }
  return undefined
}

async function open(directory: Directory, name: string): Promise<Opened | undefined> {
  const handle = await directory.openToRead(Buffer.from(name)).catch((error: NodeJS.ErrnoException) => {
    // A symlink does not count as a log.
    if (error.code === 'ENOENT' || error.code === 'ELOOP') return undefined
    throw error
  })
  if (!handle) return undefined
  const stats = await handle.stat({ bigint: true })
  if (stats.isFile()) return { handle, name, ino: String(stats.ino), size: Number(stats.size) }
  await handle.close()
  return undefined
}

interface LogPart {
  readonly from: number
  readonly maxBytes: number
}

/** Passes on each complete line, and returns how much was read and where the first incomplete line begins. */
async function readLines(
  { handle, size }: Opened,
  { from, maxBytes: max }: LogPart,
  take: (line: string) => void,
): Promise<{ at: number; offset: number }> {
  let isInLine = from > 0 && (await readAt(handle, from - 1, 1))[0] !== newline
  let rest: Buffer = Buffer.alloc(0)
  let at = from
  while (at < size && at - from < max) {
    const bytes = await readAt(handle, at, Math.min(chunk, size - at))
    if (bytes.length === 0) break
    at += bytes.length
    const text = isInLine ? bytes.subarray(bytes.indexOf(newline) + 1 || bytes.length) : Buffer.concat([rest, bytes])
    isInLine &&= !bytes.includes(newline)
    const end = text.lastIndexOf(newline) + 1
    for (const line of text.toString('latin1', 0, end).split('\n')) if (isLine(line)) take(line)
    // It is skipped, even if its end is read later: the byte before that position is not a newline.
    isInLine ||= text.length - end > MAX_LINE_BYTES
    rest = isInLine ? Buffer.alloc(0) : text.subarray(end)
  }
  return { at, offset: at - rest.length }
}

const isLine = (line: string): boolean => line !== '' && line.length <= MAX_LINE_BYTES

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  const { bytesRead } = await handle.read(buffer, 0, length, offset)
  return buffer.subarray(0, bytesRead)
}
