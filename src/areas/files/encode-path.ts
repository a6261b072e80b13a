import type { z } from 'zod'
import type { FileEntry as EntryView, TrashItem as ItemView } from '../../contract/files.ts'
import { invalid } from '../../contract/problem.ts'
import type { FileEntry, TrashItem } from '../../host/contract/driver.ts'
import { pathProblem } from '../../shared/home-path.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f]/

/** Bytes of a name or path as text, and whether the text is exact. */
function textOf(bytes: string): { text: string; plain: boolean } {
  const raw = Buffer.from(bytes, 'base64')
  try {
    const text = utf8.decode(raw)
    return { text, plain: !control.test(text) }
  } catch {
    return { text: raw.toString('utf8'), plain: false }
  }
}

const twin = <const Name extends string>(
  name: Name,
  bytes: string,
): Record<Name, string> & Partial<Record<`${Name}_bytes`, string>> => {
  const { text, plain } = textOf(bytes)
  const both = plain ? { [name]: text } : { [name]: text, [`${name}_bytes`]: bytes }
  return both as Record<Name, string> & Partial<Record<`${Name}_bytes`, string>>
}

export const toEntry = ({
  name,
  path,
  type,
  size,
  mode,
  modifiedAt,
  target,
  etag,
}: FileEntry): z.input<typeof EntryView> => ({
  ...twin('name', name),
  ...twin('path', path),
  type,
  size,
  mode,
  modified_at: Math.trunc(modifiedAt),
  ...(target !== undefined && { target: textOf(target).text }),
  ...(etag !== undefined && { etag }),
})

export const toItem = ({ id, path, type, size, deletedAt }: TrashItem): z.input<typeof ItemView> => ({
  id,
  ...twin('path', path),
  type,
  size,
  deleted_at: deletedAt,
})

type PathInput = Readonly<Record<string, unknown>>

/** The path in a field or its `_bytes` variant, for the host; undefined if neither was given. */
export function optionalPath(input: PathInput, field = 'path'): string | undefined {
  const [text, bytes] = [input[field], input[`${field}_bytes`]] as (string | undefined)[]
  if (text !== undefined && bytes !== undefined) throw invalid(`${field}_bytes`, `cannot be combined with ${field}`)
  if (bytes !== undefined) return Buffer.from(bytes, 'base64').toString('base64')
  if (text === undefined) return undefined
  return Buffer.from(text, 'utf8').toString('base64')
}

/** Like `optionalPath`, but required. */
export function neededPath(input: PathInput, field = 'path'): string {
  const path = optionalPath(input, field)
  if (path === undefined) throw invalid(field, 'is required')
  return path
}

/** Like `neededPath`, validated before the host sees it, as jobs carry it along. */
export function requiredPath(input: PathInput, field = 'path'): string {
  const path = neededPath(input, field)
  refuseFaulty(path, field)
  return path
}

/** Like `requiredPath`, for a file to be made. */
export function requiredNewPath(input: PathInput, field = 'path'): string {
  const path = requiredPath(input, field)
  if (!textOf(path).plain) throw invalid(field, 'a new name must be UTF-8 without control characters')
  return path
}

/** Like `requiredPath`, for a list. */
export function requiredPaths({ paths, paths_bytes }: { paths?: string[]; paths_bytes?: string[] }): string[] {
  if (paths && paths_bytes) throw invalid('paths_bytes', 'cannot be combined with paths')
  if (!paths && !paths_bytes) throw invalid('paths', 'is required')
  const all = paths
    ? paths.map((path) => Buffer.from(path, 'utf8').toString('base64'))
    : paths_bytes!.map((bytes) => Buffer.from(bytes, 'base64').toString('base64'))
  for (const path of all) refuseFaulty(path, paths ? 'paths' : 'paths_bytes', textOf(path).text)
  return all
}

function refuseFaulty(path: string, field: string, name?: string): void {
  const problem = pathProblem(Buffer.from(path, 'base64'))
  if (problem === undefined) return
  throw invalid(field, name === undefined ? problem : `${JSON.stringify(name.slice(0, MAX_QUOTED_LENGTH))} ${problem}`)
}

/** Of a path in a message. */
const MAX_QUOTED_LENGTH = 300

/** Text for the audit trail, with unprintable bytes replaced. */
export const textPath = (bytes: string): string => textOf(bytes).text
