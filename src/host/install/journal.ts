import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ownDirOf } from '../homes/home-paths.ts'
import { renameAt } from './openat.ts'
import type { Plan } from './plan.ts'
import { Tree } from './tree.ts'

/** What a transaction set out to do: enough to roll it back from any point. */
export interface Journal {
  readonly key: string
  readonly moves: readonly { readonly from: string; readonly to: string }[]
  readonly made: readonly string[]
  readonly files: readonly { readonly path: string; readonly had: boolean }[]
}

/** The journals' directory. */
export const journalDir = 'var/lib/panel-host/journal'
/** The journal of a transaction in progress, or interrupted by a crash: it is rolled back. */
export const openJournal = (root: string, key: string) => join(root, journalDir, `${key}.undo`)
/** The journal of a committed transaction whose old files still exist. */
export const closedJournal = (root: string, key: string) => join(root, journalDir, `${key}.done`)

const beside = (path: string, end: string) => join(dirname(path), `.${basename(path)}.${end}`)
/** The path of a new file until it is installed. */
export const stagedPath = (path: string) => beside(path, 'panel-new')
/** The path of the old file until the transaction is complete. */
export const backupPath = (path: string) => beside(path, 'panel-old')

export function journalOf(plan: Plan): Journal {
  return {
    key: plan.key,
    moves: plan.moves.map(({ from, to }) => ({ from, to })),
    made: plan.makes.map(({ dir }) => dir.path),
    files: plan.changes.map(({ path, had }) => ({ path, had })),
  }
}

/** Rolls everything back. Idempotent, even if interrupted itself. */
export function undo(root: string, journal: Journal): void {
  const place = safePlaces(root)
  for (const { path, had } of journal.files) undoFile(place(path), had)
  for (const path of journal.made.toReversed()) undoDir(place(path))
  for (const { from, to } of journal.moves.toReversed()) if (place(from) && place(to)) moveBack(root, from, to)
}

/** A tenant may have put a symlink on the way since: never touch what is behind it. */
function safePlaces(root: string): (path: string) => string | undefined {
  return (path) => {
    const tree = new Tree(root)
    return tree.isReachable(path) ? tree.at(path) : undefined
  }
}

function undoFile(path: string | undefined, had: boolean): void {
  if (path === undefined) return
  remove(stagedPath(path))
  if (had) restore(path)
  else remove(path)
}

function restore(path: string): void {
  if (!lstatSync(backupPath(path), { throwIfNoEntry: false })) return
  renameSync(backupPath(path), path)
  // rename() of two links to the same file does nothing.
  remove(backupPath(path))
}

function undoDir(path: string | undefined): void {
  if (path !== undefined) removeDir(path)
}

/** Only if it is empty. */
function removeDir(path: string): void {
  tolerate(() => rmdirSync(path), 'ENOENT', 'ENOTEMPTY', 'ENOTDIR')
}

function moveBack(root: string, from: string, to: string): void {
  const isThere = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined
  if (isThere(to) && !isThere(from)) renameAt(root, to, from)
}

/** Removes the old files of a committed transaction. */
export function sweep(root: string, journal: Journal): void {
  const had = journal.files.filter((file) => file.had).map(({ path }) => path)
  for (const path of had) remove(backupPath(join(root, path)))
  for (const dir of new Set(had.map(ownDirOf))) if (dir) removeDir(join(root, dir))
}

function remove(path: string): void {
  tolerate(() => unlinkSync(path), 'ENOENT', 'ENOTDIR')
}

function tolerate(act: () => void, ...codes: string[]): void {
  try {
    act()
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Finishes the journals of one transaction; returns true if one was rolled back. */
export function settle(root: string, key: string): boolean {
  const open = openJournal(root, key)
  const closed = closedJournal(root, key)
  const undone = existsSync(open)
  if (undone) undo(root, readJournal(open))
  for (const file of [open, `${open}.panel-new`]) remove(file)
  if (existsSync(closed)) sweep(root, readJournal(closed))
  remove(closed)
  return undone
}

/** A power loss cut it before it was durable: nothing was installed yet. */
function readJournal(file: string): Journal {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { key: '', moves: [], made: [], files: [] }
  }
}

/** The keys of all transactions that a crash left behind. */
export function unsettled(root: string): string[] {
  mkdirSync(join(root, journalDir), { recursive: true, mode: 0o700 })
  const names = readdirSync(join(root, journalDir))
  for (const name of names.filter((name) => name.endsWith('.panel-new'))) remove(join(root, journalDir, name))
  return [...new Set(names.filter((name) => /\.(undo|done)$/.test(name)).map((name) => name.slice(0, -5)))]
}
