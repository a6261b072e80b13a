import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { ownFile, syncPath } from '../shared/files.ts'
import type { Store } from './open.ts'

/** A store's life, recorded both in the store and beside it, so that a copy of either alone is recognized. */
export interface Incarnation {
  /** Undefined if no server of this version has started on the store. */
  readonly id?: string | undefined
  /** Raised by every restore and takeover: the later of two lives has the higher epoch. */
  readonly epoch: number
  /** How often its numbers jumped ahead; a takeover raises the epoch by far more than that. */
  readonly moves: number
  /** The highest event number assigned. */
  readonly seq?: number | undefined
  /** The server's id, which a restore keeps. */
  readonly server?: string | undefined
}

interface Mark {
  readonly id: string
  readonly epoch: number
  readonly moves?: number
  /** At the last shutdown: a store with a lower number was rolled back. */
  readonly seq?: number
  /** The mark's own inode, which differs in a copy of the whole directory. */
  readonly inode: string
}

const firstEpoch = 1
const markIn = (folder: string): string => join(folder, 'incarnation')

export const newIncarnation = (epoch: number, moves: number): Incarnation & { id: string } => ({
  id: randomBytes(16).toString('hex'),
  epoch,
  moves,
})

/** Before takeovers existed, each jump raised the epoch by one. */
const movesOf = (moves: number | undefined, epoch: number): number => moves ?? epoch - firstEpoch

export function incarnationOf(sqlite: Database.Database): Incarnation {
  const hasSettings = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'settings'").get()
  if (!hasSettings) return { epoch: firstEpoch, moves: 0 }
  const query = "SELECT name, value FROM settings WHERE name IN ('incarnation', 'epoch', 'moves', 'server_id')"
  const values = new Map(sqlite.prepare(query).raw().all() as [string, string][])
  const read = (name: string) => values.has(name) && JSON.parse(values.get(name)!)
  const epoch = read('epoch') || firstEpoch
  return {
    id: read('incarnation') || undefined,
    epoch,
    moves: movesOf(read('moves') || undefined, epoch),
    seq: sqlite.prepare('SELECT max(seq) FROM sqlite_sequence').pluck().get() as number,
    server: read('server_id') || undefined,
  }
}

/** Writes it into a store, inside a transaction. */
export function setIncarnation(sqlite: Database.Database, { id, epoch, moves }: Incarnation): void {
  const write = sqlite.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
  for (const [name, value] of Object.entries({ incarnation: id, epoch, moves })) write.run(name, JSON.stringify(value))
}

/** Writes it beside the store. */
export function writeMark(folder: string, { id, epoch, moves, seq }: Incarnation): void {
  const fresh = `${markIn(folder)}.new`
  const handle = openSync(fresh, 'w', 0o600)
  try {
    const inode = String(fstatSync(handle, { bigint: true }).ino)
    writeSync(handle, JSON.stringify({ id, epoch, moves, seq, inode }))
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(fresh, markIn(folder))
  syncPath(folder)
}

function readMark(folder: string): Mark | undefined {
  try {
    return JSON.parse(readFileSync(markIn(folder), 'utf8'))
  } catch {
    return undefined
  }
}

/** Reads the store in a directory; undefined if it is unreadable. */
function lookInto(dataDir: string): Incarnation | undefined {
  const file = join(dataDir, 'panel.db')
  if (!existsSync(file)) return undefined
  try {
    ownFile(file)
    const sqlite = new Database(file, { readonly: true })
    try {
      return incarnationOf(sqlite)
    } finally {
      sqlite.close()
    }
  } catch {
    return undefined
  }
}

/** What is known of the life that a restore would end here, even if the store is corrupt. */
export function formerLife(dataDir: string): Incarnation | undefined {
  const [store, mark] = [lookInto(dataDir), readMark(dataDir)]
  if (!store && !mark) return undefined
  const marked = mark ? movesOf(mark.moves, mark.epoch) : 0
  return {
    ...store,
    epoch: Math.max(store?.epoch ?? firstEpoch, mark?.epoch ?? firstEpoch),
    moves: Math.max(store?.moves ?? 0, marked),
  }
}

/** Refuses a store that was copied here, and a copy of a whole directory; changes nothing. */
export function refuseCopy(dataDir: string): void {
  const found = lookInto(dataDir)
  if (found?.id === undefined || belongs(dataDir, found)) return
  throw new Error(
    `The store in ${dataDir} is a copy. A server on it would reuse numbers that the original has issued ` +
      `since. If the original is lost, take over from it with: panel takeover ${dataDir} --data-dir ${dataDir} ` +
      `(for a store of its own, with panel restore in place of panel takeover)`,
  )
}

function belongs(dataDir: string, { id, seq }: Incarnation): boolean {
  const mark = readMark(dataDir)
  const inode = mark && String(statSync(markIn(dataDir), { bigint: true }).ino)
  return mark?.id === id && mark?.inode === inode && (mark?.seq ?? 0) <= (seq ?? 0)
}

/**
 * Starts a store's first life. The mark is written first: a server starts on a store without one, and a mark alone does
 * no harm.
 */
export async function begin(dataDir: string, store: Store): Promise<void> {
  const { id, epoch, moves } = incarnationOf(store.sqlite)
  if (id !== undefined) return
  const fresh = newIncarnation(epoch, moves)
  writeMark(dataDir, fresh)
  await store.change(() => setIncarnation(store.sqlite, fresh))
}

/** Records beside the store, at shutdown, how far it has come. */
export const noteEnd = (dataDir: string, { sqlite }: Store): void => writeMark(dataDir, incarnationOf(sqlite))
