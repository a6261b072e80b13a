import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { type ArchiveRequest, type ImportSource, MAX_SOURCE_BYTES } from '../contract/commands/imports.ts'
import type { ArchiveImports } from '../contract/driver.ts'
import { FileError } from '../contract/error.ts'
import { checkArchive, openArchive } from './open.ts'
import { readSource } from './read.ts'
import { dropImport, placeImport, stageImport, unpackInto } from './unpack.ts'

export const tooMuch = (): FileError =>
  new FileError(
    'validation',
    'describes more than one account can have (12 MiB of zones, grants and certificates)',
    'path',
  )

/** Reads and unpacks archives in this process, which has no more rights than the panel. */
export const localImports = (root: string): ArchiveImports => ({
  checkArchive: ({ path, dirs }) => checkArchive(path, dirs),
  readArchive: (request, { signal } = {}) => opened(request, (file) => readOpened(file, request, signal)),
  unpackArchive: (request, { signal } = {}) =>
    opened(request, (file) =>
      stageImport(join(root, 'home'), request, (_, into) => unpackInto(into, bytesOf(file), request, signal)),
    ),
  placeImport: ({ id, account }) => placeImport(join(root, 'home'), id, account.username),
  async dropImport({ id, account }) {
    await dropImport(root, id, account)
    return {}
  },
})

/** Opens an archive for as long as it is read. */
export async function opened<T>(
  { path, dirs }: Pick<ArchiveRequest, 'path' | 'dirs'>,
  act: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await openArchive(path, dirs)
  try {
    return await act(file)
  } finally {
    await file.close()
  }
}

const bytesOf = (file: FileHandle): AsyncIterable<Buffer> =>
  file.createReadStream({ autoClose: false, start: 0, highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>

export async function readOpened(
  file: FileHandle,
  limits: Pick<ArchiveRequest, 'maxEntries' | 'maxBytes'>,
  signal?: AbortSignal,
): Promise<ImportSource> {
  const source = await readSource(bytesOf(file), limits, signal)
  if (Buffer.byteLength(JSON.stringify(source)) > MAX_SOURCE_BYTES) throw tooMuch()
  return source
}
