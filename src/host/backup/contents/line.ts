import type { BackupContents } from '../../contract/commands/backups.ts'

/** What an entry of a backup's contents is. */
type ContentsType = BackupContents['items'][number]['type']

/** An entry, with its name as it is in the index: bytes as Latin-1, without control characters and `%`. */
export interface ContentsEntry {
  readonly name: string
  readonly type: ContentsType
  readonly size?: number | undefined
  /** In seconds. */
  readonly mtime?: number | undefined
  readonly mode?: number | undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would end a line or a field
const unsafe = /[\u0000-\u001f%\u007f]/g

const escaped = (char: string): string => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Bytes as text of the index. Tabs and newlines are escaped, so that a directory's lines sort together. */
export const toIndex = (bytes: Buffer): string => bytes.toString('latin1').replace(unsafe, escaped)

/** The bytes of a text of the index. */
export const fromIndex = (text: string): Buffer =>
  Buffer.from(
    text.replace(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )

/** Where an entry is in the order of all. */
export const keyOf = (part: string, path: string, name: string): string => `${part}:${path}\t${name}`

export const lineOf = (part: string, path: string, { name, type, size, mtime, mode }: ContentsEntry): string =>
  `${keyOf(part, path, name)}\t${[type, size, mtime, mode].map((value) => value ?? '').join('\t')}`

export function entryIn(line: string): ContentsEntry {
  const [, name, type, size, mtime, mode] = line.split('\t')
  const number = (text: string | undefined) => (text ? Number(text) : undefined)
  return {
    name: name!,
    type: type as ContentsType,
    size: number(size),
    mtime: number(mtime),
    mode: number(mode),
  }
}
