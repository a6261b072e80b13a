import { isArchive } from '../parts.ts'
import type { BackupReader } from '../reader.ts'
import type { Restic } from './restic.ts'

/**
 * A backup's files in a repository; none if it does not exist. Text files are fetched together, archives each as a
 * stream.
 */
export async function resticReader(restic: Restic, backup: string): Promise<BackupReader> {
  const texts = await restic.textsOf(backup)
  return {
    async sizeOf(name) {
      if (texts === undefined) return undefined
      return isArchive(name) ? null : texts.get(name)?.length
    },
    read(name, slice) {
      const text = texts?.get(name)
      return sliced(text ? [text] : restic.dump(backup, name), slice)
    },
  }
}

async function* sliced(
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  slice: { readonly start: number; readonly length: number } | undefined,
): AsyncGenerator<Buffer> {
  const { start, length } = slice ?? { start: 0, length: Number.POSITIVE_INFINITY }
  let passed = 0
  for await (const chunk of bytes) {
    const piece = chunk.subarray(Math.max(0, start - passed), start + length - passed)
    passed += chunk.length
    if (piece.length > 0) yield piece
    if (passed >= start + length) return
  }
}
