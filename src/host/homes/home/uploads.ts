import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { KeyedLock } from '../../../shared/lock.ts'
import type { ByteVerbs, FileEntry, FileInput } from '../../contract/commands/files.ts'
import type { Sink } from '../../contract/driver.ts'
import { FileError } from '../../contract/error.ts'
import { type Directory, holding } from './directory.ts'
import { refuseForeign, refuseIrregular, seen } from './entry.ts'
import { withFileErrors } from './error.ts'
import { removeExpired } from './expired.ts'
import { checkNewName, ownDirectory, partsOf, refuseReserved, wrong } from './path.ts'
import { renameToFree } from './rename.ts'
import { atPath, descend, type Home, makeParents } from './walk.ts'
import { receiveInto, refuseInode } from './write.ts'

type Append = ByteVerbs['append']
/** What a complete upload must match. */
type CompleteUpload = Pick<FileInput<'saveUpload'>, 'id' | 'size' | 'sha256'>

const place = [ownDirectory, Buffer.from('uploads')]
const lock = new KeyedLock()

/** Running hashes of uploads in progress, so that they need not be reread. */
const sums = new Map<string, { offset: number; readonly hash: Hash }>()
const maxSums = 100

const nameOf = (id: string): Buffer => Buffer.from(id)

async function inUploads<T>(home: Home, act: (directory: Directory) => Promise<T>, otherwise: T): Promise<T> {
  const directory = await descend(home, place).catch((error: unknown) => {
    if (error instanceof FileError && error.reason === 'not-found') return undefined
    throw error
  })
  return directory ? act(directory).finally(() => directory.close()) : otherwise
}

/** The number of bytes received of each. */
export const uploadSizes = (home: Home, { ids }: FileInput<'uploadSizes'>): Promise<{ sizes: number[] }> =>
  inUploads(
    home,
    async (directory) => {
      const sizes: number[] = []
      for (const id of ids) sizes.push(Number((await directory.find(nameOf(id)))?.size ?? 0))
      return { sizes }
    },
    { sizes: ids.map(() => 0) },
  )

export const dropUpload = (home: Home, { id }: FileInput<'dropUpload'>): Promise<null> => {
  sums.delete(id)
  return inUploads(
    home,
    (directory) =>
      directory.unlink(nameOf(id)).then(
        () => null,
        () => null,
      ),
    null,
  )
}

/**
 * Appends to an upload at its current offset. Received bytes stay, even if the connection breaks, unless they exceed
 * the size.
 */
export async function append(home: Home, input: Append['input']): Promise<Sink<Append['commit']>> {
  const directory = await makeParents(home, place, 0o700)
  await removeExpired(directory)
  const file = await openTo(directory, input).catch(async (error) => {
    await directory.close()
    throw error
  })
  let offset = input.offset
  const close = async (): Promise<void> => {
    await file.close().catch(() => {})
    await directory.close().catch(() => {})
  }
  try {
    await refuseUnfit(file, input)
  } catch (error) {
    await close()
    throw error
  }
  return {
    receive: (stream) =>
      lock.run(input.id, async () => {
        await refuseUnfit(file, input)
        const bounds = { maxBytes: input.size - input.offset, ...(input.room !== undefined && { room: input.room }) }
        try {
          const size = await receiveInto(file, stream, bounds, input.offset, summing(input))
          offset += size
          return size
        } catch (error) {
          if (!isBeyond(error)) throw error
          await takeBack(file, input)
          throw beyondSize()
        } finally {
          await file.sync()
        }
      }),
    commit: async () => {
      await close()
      return { offset }
    },
    discard: close,
  }
}

const beyondSize = (): FileError => wrong('body', 'holds more bytes than the upload is to have')
const isBeyond = (error: unknown): boolean => error instanceof FileError && error.reason === 'too-large'

async function takeBack(file: FileHandle, { id, offset }: Append['input']): Promise<void> {
  sums.delete(id)
  await file.truncate(offset)
}

async function openTo(directory: Directory, input: Append['input']): ReturnType<Directory['create']> {
  const name = nameOf(input.id)
  return withFileErrors(async () => {
    const found = await directory.find(name)
    if (!found) {
      refuseInode(input)
      return directory.create(name)
    }
    refuseIrregular(found)
    return directory.openToWrite(name)
  })
}

async function refuseUnfit(
  file: { stat(): Promise<{ size: number }> },
  { offset, length = 0, size }: Append['input'],
): Promise<void> {
  if (offset > size) throw wrong('offset', 'is beyond the size of the upload')
  if (offset + length > size) throw beyondSize()
  if ((await file.stat()).size !== offset) throw new FileError('changed', 'Another number of bytes has come.')
}

function summing({ id, offset }: Append['input']): (chunk: Buffer) => void {
  if (offset === 0) sums.set(id, { offset: 0, hash: createHash('sha256') })
  const sum = sums.get(id)
  if (sum?.offset !== offset) {
    sums.delete(id)
    return () => {}
  }
  const [oldest] = sums.keys()
  if (sums.size > maxSums && oldest !== undefined) sums.delete(oldest)
  return (chunk) => {
    sum.hash.update(chunk)
    sum.offset += chunk.length
  }
}

/** Moves a complete upload to its target. */
export async function saveUpload(home: Home, input: FileInput<'saveUpload'>): Promise<FileEntry> {
  const parts = partsOf(input.path)
  checkNewName(parts, 'path')
  refuseReserved(parts)
  return holding(makeParents(home, place, 0o700), (directory) =>
    withFileErrors(async () => {
      const fresh = { parent: directory, name: nameOf(input.id) }
      const mode = input.mode === undefined ? undefined : Number.parseInt(input.mode, 8)
      await checkComplete(directory, input)
      return atPath(home, parts, async (there) => {
        const stats = await there.parent.find(there.name)
        if (stats) refuseIrregular(stats)
        if (stats) refuseForeign(home, stats)
        if (stats && !input.overwrite) throw new FileError('exists', 'There is already a file at this path.')
        const file = await directory.openToRead(fresh.name)
        await file.chmod(mode ?? (stats ? Number(stats.mode & 0o777n) : 0o644)).finally(() => file.close())
        if (stats) await directory.rename(fresh.name, there.parent, there.name)
        else await renameToFree(fresh, there, await directory.lstat(fresh.name))
        await there.parent.flush()
        sums.delete(input.id)
        return seen(there)
      })
    }),
  )
}

/** Opens a complete upload for reading. */
export async function openUpload(home: Home, input: CompleteUpload): Promise<FileHandle> {
  return holding(makeParents(home, place, 0o700), (directory) =>
    withFileErrors(async () => {
      await checkComplete(directory, input)
      const file = await directory.openToRead(nameOf(input.id))
      if ((await file.stat()).isFile()) return file
      await file.close()
      throw wrong('upload_id', 'is not an upload')
    }),
  )
}

async function checkComplete(directory: Directory, { id, size, sha256 }: CompleteUpload): Promise<void> {
  const found = await directory.find(nameOf(id))
  if (!found && size === 0) await (await directory.create(nameOf(id))).close()
  else if (!found?.isFile() || Number(found.size) !== size)
    throw new FileError('incomplete', `Received only ${found?.size ?? 0} of ${size} bytes.`)
  if (sha256 === undefined) return
  if ((await sumOf(directory, id, size)) !== sha256)
    throw new FileError('incomplete', 'The upload does not match the given SHA-256.')
}

async function sumOf(directory: Directory, id: string, size: number): Promise<string> {
  const known = sums.get(id)
  if (known?.offset === size) return known.hash.copy().digest('hex')
  const file = await directory.openToRead(nameOf(id))
  const hash = createHash('sha256')
  for await (const chunk of file.createReadStream({ highWaterMark: 256 * 1024 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
