import { manifestName } from '../manifest.ts'
import { isArchive } from '../parts.ts'
import { type BackupReader, MAX_MANIFEST_BYTES } from '../reader.ts'
import { MAX_TEXT_BYTES, type Restic } from './restic.ts'

/** A backup's files in a repository; none if it does not exist. Each is a stream: nothing is written to disk. */
export async function resticReader(restic: Restic, backup: string): Promise<BackupReader> {
  const manifest = await restic.text(backup, manifestName, MAX_MANIFEST_BYTES)
  const texts = new Texts(restic, backup)
  const textOf = (name: string) => (name === manifestName ? manifest : texts.of(name))
  return {
    async sizeOf(name) {
      if (manifest === undefined) return undefined
      return isArchive(name) ? null : (await textOf(name))?.length
    },
    async *read(name, slice) {
      const text = isArchive(name) ? undefined : await textOf(name)
      yield* sliced(text ? [text] : restic.dump(backup, `/${name}`), slice)
    },
  }
}

/** The panel's own files in a backup, read when they are first needed: zones all at once, as each call of restic is slow. */
class Texts {
  readonly #restic: Restic
  readonly #backup: string
  readonly #read = new Map<string, Promise<Buffer | undefined>>()
  #zones: Promise<ReadonlyMap<string, Buffer>> | undefined

  constructor(restic: Restic, backup: string) {
    this.#restic = restic
    this.#backup = backup
  }

  async of(name: string): Promise<Buffer | undefined> {
    if (!name.startsWith('dns/')) return this.#one(name)
    this.#zones ??= this.#restic.textsIn(this.#backup, 'dns')
    return (await this.#zones).get(name)
  }

  #one(name: string): Promise<Buffer | undefined> {
    const text = this.#read.get(name) ?? this.#restic.text(this.#backup, name, MAX_TEXT_BYTES)
    this.#read.set(name, text)
    return text
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
