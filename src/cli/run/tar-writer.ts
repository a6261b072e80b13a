const BLOCK_BYTES = 512
const MAX_NAME_BYTES = 100

export interface TarEntry {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'link'
  readonly mode: number
  readonly size: number
  readonly mtimeMs: number
  readonly target?: string
}

const kinds = { file: '0', directory: '5', link: '2' } as const

/** The header of an entry, behind one with the names that do not fit into it. */
export function tarHeader({ path, kind, mode, size, mtimeMs, target = '' }: TarEntry): Buffer {
  const name = kind === 'directory' ? `${path}/` : path
  const times = Math.max(0, Math.floor(mtimeMs / 1000))
  const header = block(name, target, { mode, size, times, kind: kinds[kind] })
  const records = [...recordOf('path', name), ...recordOf('linkpath', target)]
  if (records.length === 0) return header
  const extended = Buffer.from(records.join(''))
  const of = { mode: 0o644, size: extended.length, times, kind: 'x' }
  return Buffer.concat([block('pax', '', of), padded(extended), header])
}

/** The zeros after a file of this size. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES)

export const tarEnd = Buffer.alloc(2 * BLOCK_BYTES)

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, tarPadding(bytes.length)])

/** `LENGTH KEY=VALUE`, where the length counts itself. */
function recordOf(key: string, value: string): string[] {
  if (Buffer.byteLength(value) <= MAX_NAME_BYTES) return []
  const bytes = Buffer.byteLength(` ${key}=${value}\n`)
  let length = bytes
  while (length !== bytes + String(length).length) length = bytes + String(length).length
  return [`${length} ${key}=${value}\n`]
}

interface HeaderFields {
  readonly mode: number
  readonly size: number
  readonly times: number
  readonly kind: string
}

function block(name: string, target: string, { mode, size, times, kind }: HeaderFields): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES)
  const octal = (value: number, at: number, width: number): void =>
    void header.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1')
  Buffer.from(name).subarray(0, MAX_NAME_BYTES).copy(header)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(times, 136, 12)
  header.write('        ', 148, 'latin1')
  header.write(kind, 156, 'latin1')
  Buffer.from(target).subarray(0, MAX_NAME_BYTES).copy(header, 157)
  header.write('ustar\x0000', 257, 'latin1')
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  return header
}
