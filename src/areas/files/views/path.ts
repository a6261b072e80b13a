import type { Rows } from '../../../web/kit/screen.ts'

/** A path, with its bytes where it is not plain text. */
export interface FilePath {
  readonly path: string
  /** In base64. */
  readonly path_bytes?: string | undefined
}

const forUrl = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
const forBody = (base64url: string): string => Buffer.from(base64url, 'base64url').toString('base64')

/** A page of a path; where the text does not say all of its bytes, they stand in the query and count alone. */
export const whereOf = (page: string, { path, path_bytes }: FilePath): readonly [string, object, object] => [
  path === '' ? page : `${page}/{path...}`,
  { path },
  path_bytes === undefined ? {} : { path_bytes: forUrl(path_bytes) },
]

const slash = '/'.charCodeAt(0)

/** The bytes of a path as a row of a list sends them. */
export const itemOf = ({ path, path_bytes }: FilePath): string =>
  path_bytes === undefined ? Buffer.from(path).toString('base64url') : forUrl(path_bytes)

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f]/

/** Bytes as text, where the text says all of them. */
function plain(bytes: Buffer): string | undefined {
  try {
    const text = utf8.decode(bytes)
    return control.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** A field of a body that holds a path, or its twin for bytes. */
function fieldFor(name: string, bytes: Buffer): Record<string, string> {
  const text = plain(bytes)
  return text === undefined ? { [`${name}_bytes`]: bytes.toString('base64') } : { [name]: text }
}

const bytesIn = (item: string): Buffer => Buffer.from(item, 'base64url')

const nameIn = (item: string): string => {
  const bytes = bytesIn(item)
  return bytes.subarray(bytes.lastIndexOf(slash) + 1).toString('utf8')
}

/** In a body. */
export const pathField = (name: string, item: string): Record<string, string> => fieldFor(name, bytesIn(item))

/** In a query. */
export const pathQuery = (item: string): Record<string, string> => {
  const text = plain(bytesIn(item))
  return text === undefined ? { path_bytes: item } : { path: text }
}

/** The same name in another directory. */
function moved(item: string, folder: string): Record<string, string> {
  const bytes = bytesIn(item)
  const name = bytes.subarray(bytes.lastIndexOf(slash) + 1)
  const below = folder.replace(/\/+$/, '')
  return fieldFor('to', below === '' ? name : Buffer.concat([Buffer.from(`${below}/`), name]))
}

/** Several paths in a body: by their bytes where one of them has odd ones. */
function pathsField(items: readonly string[]): Record<string, readonly string[]> {
  const texts = items.map((item) => plain(bytesIn(item)))
  return texts.every((text) => text !== undefined) ? { paths: texts as string[] } : { paths_bytes: items.map(forBody) }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What operations are told of the rows of a directory that were chosen. */
export const chosen = {
  each: { name: nameIn, input: ([item], typed) => ({ ...typed, ...pathField('path', item!) }) },
  inQuery: { name: nameIn, word: (item) => plain(bytesIn(item)), input: ([item]) => pathQuery(item!) },
  together: { name: nameIn, together: true, input: (items, typed) => ({ ...typed, ...pathsField(items) }) },
  toFolder: (from: string): Rows => ({
    name: nameIn,
    input: ([item], { to, ...typed }) => ({ ...typed, ...pathField(from, item!), ...moved(item!, textOf(to)) }),
  }),
} satisfies Record<string, Rows | ((from: string) => Rows)>
