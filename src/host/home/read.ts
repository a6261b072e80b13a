import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Source } from '../driver.ts'
import type { ByteVerbs } from '../files.ts'
import { refuseForeign, refuseIrregular, shown } from './entry.ts'
import { partsOf } from './path.ts'
import { sliceOf } from './range.ts'
import { atPath, type Home } from './walk.ts'

type Read = ByteVerbs['read']

/** Opens the regular file at a path. What takes its place from then on is not read. */
export async function read(home: Home, { path, range, ifRange }: Read['told']): Promise<Source> {
  return atPath(home, partsOf(path), async ({ parent, name, parts }) => {
    refuseIrregular(await parent.lstat(name))
    const file = await parent.openToRead(name)
    try {
      const stats = await file.stat({ bigint: true })
      refuseIrregular(stats)
      refuseForeign(home, stats)
      const entry = shown(parts, name, stats)
      const asked = ifRange === undefined || ifRange === entry.etag ? range : undefined
      const slice = sliceOf(asked, entry.size)
      return { answer: { entry, ...slice }, stream: () => streamOf(file, slice), close: () => file.close() }
    } catch (error) {
      await file.close()
      throw error
    }
  })
}

const chunk = 256 * 1024

function streamOf(file: FileHandle, { start, length }: { start: number; length: number }): Readable {
  if (length > 0) return file.createReadStream({ start, end: start + length - 1, highWaterMark: chunk })
  void file.close()
  return Readable.from([])
}
