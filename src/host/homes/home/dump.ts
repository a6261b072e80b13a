import type { FileHandle } from 'node:fs/promises'
import type { DumpRequest } from '../../backup/home.ts'
import type { DumpSource } from '../../contract/commands/dumps.ts'
import { type ReadDump, readDump } from '../../dumps/read.ts'
import type { Directory } from './directory.ts'
import { openArchive } from './extract.ts'
import { partsOf } from './path.ts'
import { openUpload } from './uploads.ts'
import { atPath, type Home } from './walk.ts'

/** Opens a dump in a home; its file is closed after the last byte. */
export async function openDump(directory: Directory, request: DumpRequest, signal?: AbortSignal): Promise<ReadDump> {
  const { source, ...reading } = request
  const home = { directory, uid: (await directory.stat()).uid }
  const file = await fileOf(home, source)
  const { bytes, report } = readDump(file, reading, signal)
  return { bytes: closing(bytes, file), report }
}

const fileOf = (home: Home, source: DumpSource): Promise<FileHandle> =>
  source.kind === 'upload'
    ? openUpload(home, {
        id: source.id,
        size: source.size,
        ...(source.sha256 !== undefined && { sha256: source.sha256 }),
      })
    : atPath(home, partsOf(source.path), (place) => openArchive(home, place))

async function* closing(bytes: AsyncIterable<Buffer>, file: FileHandle): AsyncGenerator<Buffer> {
  try {
    yield* bytes
  } finally {
    await file.close()
  }
}
