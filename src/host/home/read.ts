import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Source } from '../driver.ts'
import type { ByteVerbs } from '../files.ts'
import { refuseForeign, refuseIrregular, shown } from './entry.ts'
import { type Parts, partsOf } from './path.ts'
import { sliceOf } from './range.ts'
import { atPath, type Home } from './walk.ts'

type Read = ByteVerbs['read']

/** Opens the regular file at a path. What replaces it afterwards is not read. */
export async function read(home: Home, told: Read['told']): Promise<Source> {
  return atPath(home, partsOf(told.path), async ({ parent, name, parts }) => {
    refuseIrregular(await parent.lstat(name))
    const file = await parent.openToRead(name)
    const stats = await file.stat({ bigint: true })
    return sourceOf(file, stats, parts, told, () => refuseForeign(home, stats))
  })
}

type Asked = Pick<Read['told'], 'range' | 'ifRange'>

/** The requested bytes of an open file; closes it on failure. */
export async function sourceOf(
  file: FileHandle,
  stats: BigIntStats,
  parts: Parts,
  { range, ifRange }: Asked,
  judge: () => void = () => {},
): Promise<Source> {
  try {
    refuseIrregular(stats)
    judge()
    const entry = shown(parts, parts.at(-1)!, stats)
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
