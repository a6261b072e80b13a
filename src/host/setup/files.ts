import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { SetupContext } from './context.ts'
import { digest } from './record.ts'
import type { BaseDir, BaseFile } from './step.ts'

/** Creates a directory, or corrects its mode and group; returns whether it changed anything. */
export function ensureDir(context: SetupContext, { path, mode, group = 'root' }: BaseDir): boolean {
  const place = context.root + path
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (found && hasMode(found, mode)) return false
  mkdirSync(place, { recursive: true })
  context.own(place, group)
  chmodSync(place, mode)
  return true
}

/** A file's current text and the desired one. */
export function textsOf({ root }: SetupContext, { path, content }: BaseFile) {
  const found = existsSync(root + path) ? readFileSync(root + path, 'utf8') : undefined
  return { found, desired: typeof content === 'string' ? content : content(found ?? '') }
}

/** Whether a file is wrong and may be overwritten. */
export function isToBeWritten(context: SetupContext, file: BaseFile): boolean {
  const { found, desired: request } = textsOf(context, file)
  if (found === undefined) return true
  if (file.seed) return false
  return found === request ? rightsOf(context, file) !== undefined : !wasChangedByHand(context, file.path, found)
}

/** Writes a file of the base configuration if it is wrong; returns whether it did. */
export function ensureFile(context: SetupContext, file: BaseFile): boolean {
  const { found, desired: request } = textsOf(context, file)
  if (file.seed && found !== undefined) return false
  if (found === request) {
    noteWritten(context, file.path, request)
    return ensureRights(context, file)
  }
  if (found !== undefined && wasChangedByHand(context, file.path, found)) {
    context.say(`${file.path} was changed by hand and stays; take it away and run this again to have panel's`)
    return false
  }
  if (found !== undefined) keepOriginal(context, file.path)
  put(context, file, request)
  noteWritten(context, file.path, request)
  return true
}

/** Also for a run that was killed before it could. */
function noteWritten({ record }: SetupContext, path: string, content: string): void {
  if (record.wrote(path) !== digest(content)) record.note({ written: [path, digest(content)] })
}

/** How the permissions of an existing file differ, in words. */
export function rightsOf({ root }: Pick<SetupContext, 'root'>, { path, mode }: BaseFile | BaseDir): string | undefined {
  const found = lstatSync(root + path, { throwIfNoEntry: false })
  if (!found || hasMode(found, mode)) return undefined
  return `mode ${octal(found.mode)}, should be ${octal(mode)}`
}

function ensureRights(context: SetupContext, file: BaseFile): boolean {
  if (rightsOf(context, file) === undefined) return false
  context.own(context.root + file.path, file.group ?? 'root')
  chmodSync(context.root + file.path, file.mode)
  return true
}

const hasMode = (found: Stats, mode: number): boolean => (found.mode & 0o7777) === mode
const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')

/** It differs from what panel wrote, and panel did write it. */
function wasChangedByHand({ record }: SetupContext, path: string, found: string): boolean {
  const wrote = record.wrote(path)
  return wrote !== undefined && wrote !== digest(found)
}

/** Keeps what was there before panel first wrote the file. */
function keepOriginal({ root, record }: SetupContext, path: string): void {
  const remaining = `${root}${path}.panel-orig`
  if (record.wrote(path) !== undefined || existsSync(remaining)) return
  writeFileSync(`${remaining}.new`, readFileSync(root + path), { mode: 0o600, flush: true })
  chmodSync(`${remaining}.new`, statSync(root + path).mode & 0o7777)
  renameSync(`${remaining}.new`, remaining)
}

function put({ root, own }: SetupContext, { path, mode, group = 'root' }: BaseFile, content: string): void {
  const place = root + path
  mkdirSync(dirname(place), { recursive: true })
  rmSync(`${place}.panel-new`, { force: true })
  // Synced: an empty file after a power loss would be taken for one that was changed by hand.
  writeFileSync(`${place}.panel-new`, content, { mode: 0o600, flag: 'wx', flush: true })
  own(`${place}.panel-new`, group)
  chmodSync(`${place}.panel-new`, mode)
  renameSync(`${place}.panel-new`, place)
}

/** Removes a symlink that still has the target that a package gave it. */
export function ensureUnlinked({ root }: SetupContext, [link, target]: readonly [string, string]): boolean {
  const place = root + link
  if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return false
  if (resolve(dirname(link), readlinkSync(place)) !== target) return false
  rmSync(place)
  return true
}
