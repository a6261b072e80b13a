import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { maskOf } from '../../../shared/mask.ts'
import type { ByteVerbs, FileInput, LogFile, LogPage, TailPlace } from '../../contract/commands/files.ts'
import type { Source } from '../../contract/driver.ts'
import { FileError } from '../../contract/error.ts'
import type { Directory } from './directory.ts'
import { modifiedAt, refuseIrregular, sizeOf } from './entry.ts'
import { sourceOf } from './read.ts'

export const currentLog = /^(?:[a-z0-9_.-]+\.(?:access|error)\.log|php\.log)$/
/** The log of an account's app. */
export const appLog = /^[a-z][a-z0-9-]{0,30}\.app\.log$/
const rotated = /^(.+\.log)-(\d{4})(\d{2})(\d{2})(?:\.gz)?$/

/** An account's logs, each with the days that are kept. */
export async function listLogs(directory: Directory): Promise<{ items: LogFile[] }> {
  const files = new Map<string, { size: number; modifiedAt: number; days: string[] }>()
  const of = (file: string) => {
    const known = files.get(file) ?? { size: 0, modifiedAt: 0, days: [] }
    files.set(file, known)
    return known
  }
  for await (const bytes of directory.names()) {
    const name = bytes.toString('latin1')
    const stats = await directory.find(bytes)
    const [, base, year, month, day] = rotated.exec(name) ?? []
    if (!stats?.isFile()) continue
    if (base !== undefined && currentLog.test(base)) of(base).days.push(`${year}-${month}-${day}`)
    else if (currentLog.test(name)) Object.assign(of(name), { size: sizeOf(stats), modifiedAt: modifiedAt(stats) })
  }
  return { items: [...files].map(([file, { days, ...known }]) => ({ file, ...known, days: days.sort().reverse() })) }
}

const MAX_LINE_BYTES = 8 * 1024
const chunk = 64 * 1024
/** The limit of a page, and of how far back `q` is searched for. */
const MAX_PAGE_BYTES = 1024 * 1024
const farthest = 32 * 1024 * 1024
const newline = 0x0a

type TailInput = FileInput<'tailLog'>

/** The last lines, or those since a position. Complete lines only: one being written is on the next page. */
export async function tailLog(directory: Directory, input: TailInput): Promise<LogPage> {
  const opened = await openLog(directory, Buffer.from(input.file))
  if (!opened) return { lines: [], next: input.since ?? { file: '0', offset: 0 } }
  const { file, stats } = opened
  try {
    if (input.since === undefined) return await lastLines(file, stats, input)
    if (isIn(input.since, stats) && input.since.offset <= sizeOf(stats))
      return await linesFrom(file, stats, input.since.offset, input)
    return await acrossRotation(directory, { file, stats }, input)
  } finally {
    await file.close()
  }
}

/** If the file system has no birth time, Node.js returns zero or the ctime. */
const bornOf = ({ birthtimeNs, ctimeNs }: BigIntStats): string | undefined =>
  birthtimeNs === 0n || birthtimeNs === ctimeNs ? undefined : String(birthtimeNs)

function placeAt(stats: BigIntStats, offset: number): TailPlace {
  const born = bornOf(stats)
  return { file: String(stats.ino), offset, ...(born !== undefined && { born }) }
}

const isIn = ({ file, born }: TailPlace, stats: BigIntStats): boolean =>
  file === String(stats.ino) && (born === undefined || born === bornOf(stats))

interface Opened {
  readonly file: FileHandle
  readonly stats: BigIntStats
}

async function openLog(directory: Directory, name: Buffer): Promise<Opened | undefined> {
  const file = await directory.openToRead(name).catch((error: NodeJS.ErrnoException) => {
    // A symlink does not count as a log.
    if (error.code === 'ENOENT' || error.code === 'ELOOP') return undefined
    throw error
  })
  if (!file) return undefined
  const stats = await file.stat({ bigint: true })
  if (stats.isFile()) return { file, stats }
  await file.close()
  throw new FileError('not-found', 'The log is not a regular file.')
}

/** The rest of the rotated file, if it still exists; else the current one. */
async function acrossRotation(directory: Directory, now: Opened, input: TailInput): Promise<LogPage> {
  const { since } = input
  for await (const name of directory.names()) {
    const text = name.toString('latin1')
    if (!text.startsWith(`${input.file}-`) || text.endsWith('.gz')) continue
    const opened = await openLog(directory, name)
    if (!opened) continue
    try {
      if (!isIn(since!, opened.stats)) continue
      const page = await linesFrom(opened.file, opened.stats, since!.offset, { ...input, isEnded: true })
      const isRead = page.next.offset === sizeOf(opened.stats)
      return isRead ? { ...page, next: placeAt(now.stats, 0) } : page
    } finally {
      await opened.file.close()
    }
  }
  const page = await linesFrom(now.file, now.stats, 0, input)
  return since!.file === '0' ? page : { ...page, gap: true }
}

type TextOf = (line: Buffer) => string

/** Formats a line; masks it before truncating, so that no part of a secret remains. */
function textFor({ secrets = [] }: TailInput): TextOf {
  const cut: TextOf = (line) => line.subarray(0, MAX_LINE_BYTES).toString('utf8').replace(/\r$/, '')
  if (secrets.length === 0) return cut
  const masked = maskOf(secrets)
  return (line) => cut(Buffer.from(masked(line.toString('utf8'))))
}

const holds = (text: string, q: string | undefined): boolean =>
  q === undefined || text.toLowerCase().includes(q.toLowerCase())

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  const { bytesRead } = await file.read(buffer, 0, length, offset)
  return buffer.subarray(0, bytesRead)
}

/** In a finished file, text after the last newline is a line too. */
type TailStart = TailInput & { readonly isEnded?: boolean }

async function linesFrom(file: FileHandle, stats: BigIntStats, from: number, request: TailStart): Promise<LogPage> {
  const { limit, q, isEnded = false } = request
  const textOf = textFor(request)
  const lines: string[] = []
  const size = sizeOf(stats)
  let offset = from
  let collected = 0
  let rest = Buffer.alloc(0)
  for (let at = from; at < size && lines.length < limit && collected < MAX_PAGE_BYTES && at - from < farthest; ) {
    const bytes = await readAt(file, at, Math.min(chunk, size - at))
    if (bytes.length === 0) break
    at += bytes.length
    rest = Buffer.concat([rest, bytes])
    for (let end = rest.indexOf(newline); end >= 0 && lines.length < limit; end = rest.indexOf(newline)) {
      const text = textOf(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      offset += end + 1
      if (!holds(text, q)) continue
      lines.push(text)
      collected += text.length
    }
    // A line without an end is split: its rest is a line of its own.
    if (rest.length > chunk && lines.length < limit) {
      lines.push(textOf(rest))
      offset += rest.length
      rest = Buffer.alloc(0)
    }
    if (isEnded && at === size && rest.length > 0 && lines.length < limit) {
      const text = textOf(rest)
      if (holds(text, q)) lines.push(text)
      offset = size
    }
  }
  return { lines, next: placeAt(stats, offset) }
}

async function lastLines(file: FileHandle, stats: BigIntStats, request: TailInput): Promise<LogPage> {
  const { limit, q } = request
  const textOf = textFor(request)
  const size = sizeOf(stats)
  const lines: string[] = []
  let collected = 0
  let rest = Buffer.alloc(0)
  let end: number | undefined
  const take = (line: Buffer): void => {
    const text = textOf(line)
    if (!holds(text, q) || lines.length >= limit || collected >= MAX_PAGE_BYTES) return
    lines.unshift(text)
    collected += text.length
  }
  let at = size
  while (at > 0 && lines.length < limit && collected < MAX_PAGE_BYTES && size - at < farthest) {
    const from = Math.max(0, at - chunk)
    rest = Buffer.concat([await readAt(file, from, at - from), rest])
    at = from
    for (let cut = rest.lastIndexOf(newline); cut >= 0; cut = rest.lastIndexOf(newline)) {
      if (end === undefined) end = at + cut + 1
      else take(rest.subarray(cut + 1))
      rest = rest.subarray(0, cut)
    }
    // Longer lines are truncated.
    if (rest.length > 4 * chunk) rest = rest.subarray(0, chunk)
  }
  if (at === 0 && end !== undefined) take(rest)
  return { lines, next: placeAt(stats, end ?? 0) }
}

/** The file of a day: for today the current one. */
export async function readLog(directory: Directory, input: ByteVerbs['readLog']['input']): Promise<Source> {
  const dated = `${input.file}-${input.day.replaceAll('-', '')}`
  for (const name of [...(input.today ? [input.file] : []), dated, `${dated}.gz`]) {
    const opened = await openLog(directory, Buffer.from(name))
    if (!opened) continue
    refuseIrregular(opened.stats)
    return sourceOf(opened.file, opened.stats, [Buffer.from(name)], input)
  }
  throw new FileError('not-found', 'There is no log of this day.')
}
