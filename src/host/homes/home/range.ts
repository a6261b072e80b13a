import { FileError } from '../../contract/error.ts'

export interface Slice {
  readonly start: number
  readonly length: number
  readonly partial: boolean
}

/** The slice that a Range header asks for; anything but a single byte range means all. */
export function sliceOf(header: string | undefined, size: number): Slice {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return { start: 0, length: size, partial: false }
  const [first, last] = [match[1], match[2]].map((text) => (text === '' ? undefined : Number(text)))
  const start = first ?? Math.max(0, size - last!)
  const end = first === undefined || last === undefined ? size - 1 : Math.min(last, size - 1)
  if (first !== undefined && last !== undefined && last < first) return { start: 0, length: size, partial: false }
  if (start >= size || end < start)
    throw new FileError('range-not-satisfiable', `The file has ${size} bytes.`, undefined, size)
  return { start, length: end - start + 1, partial: true }
}
