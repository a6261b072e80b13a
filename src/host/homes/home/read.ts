import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ByteVerbs } from '../../contract/commands/files.ts'
import type { Source } from '../../contract/driver.ts'
import { refuseForeign, refuseIrregular, visible } from './entry.ts'
import { type Parts, partsOf } from './path.ts'
import { sliceOf } from './range.ts'
import { atPath, type Home } from './walk.ts'

type ReadVerb = ByteVerbs['read']

/** Opens the regular file at a path. What replaces it afterwards is not read. */
export async function read(home: Home, input: ReadVerb['input']): Promise<Source> {
  return atPath(home, partsOf(input.path), async ({ parent, name, parts }) => {
    refuseIrregular(await parent.lstat(name))
    const file = await parent.openToRead(name)
    const stats = await file.stat({ bigint: true })
    return sourceOf(file, stats, parts, input, () => refuseForeign(home, stats))
  })
}

type RangeRequest = Pick<ReadVerb['input'], 'range' | 'ifRange'>

/** The requested bytes of an open file; closes it on failure. */
export async function sourceOf(
  file: FileHandle,
  stats: BigIntStats,
  parts: Parts,
  { range, ifRange }: RangeRequest,
  check: () => void = () => {},
): Promise<Source> {
  try {
    refuseIrregular(stats)
    check()
    const entry = visible(parts, parts.at(-1)!, stats)
    const slice = sliceOf(ifRange === undefined || ifRange === entry.etag ? range : undefined, entry.size)
    return { answer: { entry, ...slice }, stream: () => streamOf(file, slice), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

const chunk = 256 * 1024

function streamOf(file: FileHandle, { start, length }: { start: number; length: number }): Readable {
  if (length > 0) return file.createReadStream({ start, end: start + length - 1, highWaterMark: chunk })
  void file.close()
  return Readable.from([])
}
