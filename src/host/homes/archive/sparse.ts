import type { FileHandle } from 'node:fs/promises'
import type { Extent, ReadEntry } from './entry.ts'

const hole = 64 * 1024
const zeros = Buffer.alloc(hole)

type SparseContent = Pick<ReadEntry, 'content' | 'size' | 'extents'>

/** Writes a file's content, with runs of zeros as holes. `took` gets all bytes as they arrive, holes included. */
export async function writeSparse(
  file: FileHandle,
  { content, size, extents }: SparseContent,
  took: (bytes: number) => void,
): Promise<void> {
  if (extents) took(size)
  let at = 0
  const offsetOf = extents
    ? offsetsIn(extents)
    : (passed: number) => ({ offset: passed, left: Number.MAX_SAFE_INTEGER })
  for await (const piece of content()) {
    if (!extents) took(piece.length)
    for (let from = 0; from < piece.length; ) {
      const { offset, left } = offsetOf(at)
      const part = piece.subarray(from, from + Math.min(hole, left))
      if (!part.equals(zeros.subarray(0, part.length))) await writeAll(file, part, offset)
      from += part.length
      at += part.length
    }
  }
  await file.truncate(size)
}

/** Where stored bytes belong; asked for in ascending order. */
function offsetsIn(extents: readonly Extent[]) {
  let [nth, passed] = [0, 0]
  return (at: number): { offset: number; left: number } => {
    while (at >= passed + extents[nth]!.length) passed += extents[nth++]!.length
    const { offset, length } = extents[nth]!
    return { offset: offset + at - passed, left: passed + length - at }
  }
}

async function writeAll(file: FileHandle, part: Buffer, at: number): Promise<void> {
  for (let done = 0; done < part.length; )
    done += (await file.write(part, done, part.length - done, at + done)).bytesWritten
}
