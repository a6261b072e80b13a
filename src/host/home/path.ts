import { FileFault } from '../error.ts'

/** The parts of a path below a home, as bytes. */
export type Parts = readonly Buffer[]

const slash = 0x2f
const longestPath = 4096
const longestName = 255
const deepest = 64
/** What an account always has, and the panel's own directory. */
const kept = new Set(['sites', 'mail', 'apps', 'tmp', '.trash', '.panel'])
/** Where the panel keeps what is not finished. */
export const ownDirectory = Buffer.from('.panel')

/** Reads a path from the wire; throws 400 for one that is not below the home. */
export function partsOf(path: string, field = 'path'): Parts {
  const bytes = Buffer.from(path, 'base64')
  if (bytes.length > longestPath) throw wrong(field, `must have at most ${longestPath} bytes`)
  const parts = split(bytes[0] === slash ? bytes.subarray(1) : bytes)
  if (parts.length > deepest) throw wrong(field, `must be at most ${deepest} directories deep`)
  for (const part of parts) checkName(part, field)
  return parts
}

function split(bytes: Buffer): Buffer[] {
  if (bytes.length === 0) return []
  const parts: Buffer[] = []
  let from = 0
  for (let at = bytes.indexOf(slash); at >= 0; at = bytes.indexOf(slash, from)) {
    parts.push(bytes.subarray(from, at))
    from = at + 1
  }
  return [...parts, bytes.subarray(from)]
}

export function checkName(name: Buffer, field: string): void {
  if (name.length === 0) throw wrong(field, 'must not contain an empty part')
  if (name.includes(0)) throw wrong(field, 'must not contain NUL')
  if (name.equals(Buffer.from('.')) || name.equals(Buffer.from('..')))
    throw wrong(field, 'must not contain . or .. as a part')
  if (name.length > longestName) throw wrong(field, `must not contain a name of more than ${longestName} bytes`)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f]/

/** The name as text, where it is plain: UTF-8 without control characters. */
export function plainText(bytes: Buffer): string | undefined {
  try {
    const text = utf8.decode(bytes)
    return control.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** A new name is text that any terminal can show. */
export function checkNewName(parts: Parts, field: string): void {
  const name = parts.at(-1)
  if (!name) throw wrong(field, 'must name something below the home')
  if (plainText(name) === undefined) throw wrong(field, 'a new name must be UTF-8 without control characters')
}

/** The home and what an account always has stay where they are. */
export function refuseKept(parts: Parts): void {
  const [first, ...more] = parts
  if (first && (more.length > 0 || !kept.has(first.toString('latin1')))) return
  throw new FileFault('in-use', `${first ? first.toString() : 'The home'} itself cannot be moved, deleted or changed.`)
}

export const joined = (parts: Parts): Buffer =>
  Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from('/'), part])))

/** Whether one path is the other or lies below it. */
export const isWithin = (parts: Parts, outer: Parts): boolean =>
  parts.length >= outer.length && outer.every((part, at) => part.equals(parts[at]!))

export const wrong = (field: string, message: string): FileFault =>
  new FileFault('validation', `${field}: ${message}`, field)
