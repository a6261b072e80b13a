import { type BigIntStats, existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { Directory, holding } from '../homes/home/directory.ts'
import { cutLog } from './cut.ts'
import { dated, datedName, MAX_PARTS_PER_DAY } from './rotate.ts'

const mebibyte = 1024 * 1024

/** Limits in bytes, of what is allocated or addressable, whichever is more. */
export interface LogLimits {
  /** One log of an account, or of a service. */
  readonly log: number
  /** All logs of an account, rotated ones included. */
  readonly account: number
  /** One log that traffic is counted from. */
  readonly traffic: number
  /** The same with its rotated files: beyond it the oldest are lost, even if they were not counted yet. */
  readonly allTraffic: number
}

export const logLimits: LogLimits = {
  log: 256 * mebibyte,
  account: 1024 * mebibyte,
  traffic: 256 * mebibyte,
  allTraffic: 2048 * mebibyte,
}

interface LogEntry {
  readonly name: string
  /** The day of a rotated file, and its number on that day; undefined for a log being written. */
  readonly age: string | undefined
  bytes: number
}

const lengthOf = ({ size, blocks }: BigIntStats): number => Math.max(Number(size), Number(blocks) * 512)

async function entriesIn(directory: Directory, isOne: (name: string) => boolean = () => true): Promise<LogEntry[]> {
  const entries: LogEntry[] = []
  for await (const bytes of directory.names()) {
    const name = bytes.toString('latin1')
    if (!isOne(name)) continue
    const stats = await directory.find(bytes)
    if (stats?.isFile()) entries.push({ name, age: ageOf(name), bytes: lengthOf(stats) })
  }
  return entries
}

function ageOf(name: string): string | undefined {
  const [, day, part = '0'] = dated.exec(name) ?? []
  return day && `${day}.${part.padStart(3, '0')}`
}

const total = (entries: readonly LogEntry[]): number => entries.reduce((sum, { bytes }) => sum + bytes, 0)

/** Removes the oldest rotated files until the rest is within a limit; returns the rest. */
async function dropOldest(directory: Directory, entries: readonly LogEntry[], limit: number): Promise<LogEntry[]> {
  let left = total(entries)
  const dropped = new Set<LogEntry>()
  const rotated = entries.filter(({ age }) => age !== undefined).sort((a, b) => (a.age! < b.age! ? -1 : 1))
  for (const entry of rotated) {
    if (left <= limit) break
    await directory.unlink(Buffer.from(entry.name, 'latin1'))
    left -= entry.bytes
    dropped.add(entry)
  }
  return entries.filter((entry) => !dropped.has(entry))
}

/**
 * Cuts an account's logs to their last part, and removes its oldest, so that they stay within the limits. Their writers
 * go on: nothing is renamed, and no file of another owner is changed.
 */
export async function sweepAccount(directory: Directory, day: string, limits: LogLimits): Promise<void> {
  const cut = ({ name }: LogEntry) =>
    cutLog(directory, Buffer.from(name, 'latin1'), Buffer.from(datedName(name, day), 'latin1'))
  const entries = await entriesIn(directory)
  const full = entries.filter(({ age, bytes }) => age === undefined && bytes > limits.log)
  for (const entry of full) await cut(entry)
  const now = full.length > 0 ? await entriesIn(directory) : entries
  const rest = await dropOldest(directory, now, limits.account)
  if (total(rest) <= limits.account) return
  const bySize = rest.sort((a, b) => b.bytes - a.bytes)
  for (let left = total(rest); left > limits.account; left -= bySize.shift()!.bytes) await cut(bySize[0]!)
  await dropOldest(directory, await entriesIn(directory), limits.account)
}

/** Renames a full log and returns whether it did: its writer must then reopen it. Loses no line. */
export async function sweepTraffic(
  directory: Directory,
  name: string,
  day: string,
  limits: LogLimits,
): Promise<boolean> {
  const entries = await entriesIn(directory, (one) => one === name || one.startsWith(`${name}-`))
  const current = entries.find((one) => one.name === name)
  await dropOldest(directory, entries, limits.allTraffic)
  if (current === undefined || current.bytes <= limits.traffic) return false
  const as = nextName(entries, name, day)
  await directory.rename(Buffer.from(name), directory, Buffer.from(as))
  return true
}

/** After all names in use, as readers go by their order. The last of a day is replaced once it has no more. */
function nextName(entries: readonly LogEntry[], name: string, day: string): string {
  const ages = entries.flatMap(({ age }) => age ?? []).sort()
  const [lastDay = '', part] = ages.at(-1)?.split('.') ?? []
  if (lastDay < day.replaceAll('-', '')) return datedName(name, day)
  return datedName(name, lastDay, Math.min(Number(part) + 1, MAX_PARTS_PER_DAY))
}

/** A service's own log: the end of it, and one earlier file. */
export async function sweepService(path: string, day: string, limits: LogLimits): Promise<void> {
  const name = basename(path)
  if (!existsSync(dirname(path))) return
  await holding(Directory.at(dirname(path)), async (directory) => {
    const stats = await directory.find(Buffer.from(name))
    if (!stats?.isFile() || lengthOf(stats) <= limits.log) return
    const earlier = await entriesIn(directory, (one) => one.startsWith(`${name}-`) && dated.test(one))
    for (const one of earlier) await directory.unlink(Buffer.from(one.name, 'latin1'))
    await cutLog(directory, Buffer.from(name), Buffer.from(datedName(name, day)))
  })
}
