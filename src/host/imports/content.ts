import type { ReadEntry } from '../homes/archive/entry.ts'

/** All bytes of an entry; its size was checked before. */
export async function contentOf({ content }: ReadEntry): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of content()) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}
