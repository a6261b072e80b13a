import { nameProblem, pathProblem, splitPath } from '../../../shared/home-path.ts'
import { FileError } from '../../contract/error.ts'

/** The segments of a path relative to a home, as bytes. */
export type Parts = readonly Buffer[]

/** Directories that every account has, and the panel's own. */
const RESERVED_NAMES = new Set(['sites', 'mail', 'apps', 'tmp', '.trash', '.panel'])
/** The panel's directory for unfinished work. */
export const ownDirectory = Buffer.from('.panel')

/** Parses a path from the wire; throws 400 if it leads out of the home. */
export function partsOf(path: string, field = 'path'): Parts {
  const bytes = Buffer.from(path, 'base64')
  const error = pathProblem(bytes)
  if (error !== undefined) throw wrong(field, error)
  return splitPath(bytes)
}

export function checkName(name: Buffer, field: string): void {
  const error = nameProblem(name)
  if (error !== undefined) throw wrong(field, error)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f]/

/** A name as text, if it is UTF-8 without control characters. */
export function plainText(bytes: Buffer): string | undefined {
  try {
    const text = utf8.decode(bytes)
    return control.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** A new name must be printable text. */
export function checkNewName(parts: Parts, field: string): void {
  const name = parts.at(-1)
  if (!name) throw wrong(field, 'must name something below the home')
  if (plainText(name) === undefined) throw wrong(field, 'a new name must be UTF-8 without control characters')
}

/** The home and the standard directories must stay. */
export function refuseReserved(parts: Parts): void {
  const [first, ...more] = parts
  if (first && (more.length > 0 || !RESERVED_NAMES.has(first.toString('latin1')))) return
  throw new FileError('in-use', `${first ? first.toString() : 'The home'} itself cannot be moved, deleted or changed.`)
}

export const joined = (parts: Parts): Buffer =>
  Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from('/'), part])))

/** Whether a path equals another or lies below it. */
export const isWithin = (parts: Parts, outer: Parts): boolean =>
  parts.length >= outer.length && outer.every((part, at) => part.equals(parts[at]!))

export const wrong = (field: string, message: string): FileError =>
  new FileError('validation', `${field}: ${message}`, field)
