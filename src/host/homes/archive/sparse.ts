import type { FileHandle } from 'node:fs/promises'
import type { ReadEntry } from './entry.ts'

const hole = 64 * 1024
const zeros = Buffer.alloc(hole)

/** Writes a file's content, with runs of zeros as holes. `took` gets all bytes as they arrive. */
export async function writeSparse(
  file: FileHandle,
  { content, size }: Pick<ReadEntry, 'content' | 'size'>,
  took: (bytes: number) => void,
): Promise<void> {
  let at = 0
  for await (const piece of content()) {
    took(piece.length)
    for (let from = 0; from < piece.length; from += hole) {
      const part = piece.subarray(from, from + hole)
      if (!part.equals(zeros.subarray(0, part.length))) await writeAll(file, part, at)
      at += part.length
    }
  }
  await file.truncate(size)
}

async function writeAll(file: FileHandle, part: Buffer, at: number): Promise<void> {
  for (let done = 0; done < part.length; )
    done += (await file.write(part, done, part.length - done, at + done)).bytesWritten
}
