import type { FileHandle } from 'node:fs/promises'
import type { FileInput } from '../../contract/commands/files.ts'
import { FileError, quotaUsedUp } from '../../contract/error.ts'
import { type AnyCompression, canCompress, compress, through } from '../archive/compress.ts'
import { Packer } from '../archive/pack.ts'
import { tarFormat } from '../archive/tar.ts'
import { ZipFormat } from '../archive/zip.ts'
import { type Directory, holding } from './directory.ts'
import { withFileErrors } from './error.ts'
import { checkNewName, isWithin, ownDirectory, type Parts, partsOf, refuseReserved } from './path.ts'
import { renameToFree } from './rename.ts'
import { atPath, descend, type Home } from './walk.ts'
import { refuseInode, workDirectory } from './write.ts'

interface Archived {
  readonly files: number
  readonly size: number
  readonly warnings: readonly string[]
}

/** Packs files and directories into an archive: built aside, then moved into place, where nothing may exist. */
export async function archive(home: Home, input: FileInput<'archive'>, signal?: AbortSignal): Promise<Archived> {
  const [paths, target] = [outermost(input.paths.map((path) => partsOf(path, 'paths'))), partsOf(input.to, 'to')]
  checkNewName(target, 'to')
  refuseReserved(target)
  refuseWithoutProgram(input.format)
  refuseInode(input)
  const name = Buffer.from(`archive-${input.id}`)
  return holding(workDirectory(home), async (work) => {
    await work.unlink(name).catch(() => {})
    try {
      const made = await withFileErrors(() => pack(home, paths, work, name, input, signal), 'paths')
      const place = async (there: { parent: Directory; name: Buffer }) =>
        renameToFree({ parent: work, name }, there, await work.lstat(name))
      await atPath(home, target, place, 'to')
      return made
    } catch (error) {
      await work.unlink(name).catch(() => {})
      throw error
    }
  })
}

/** Those not contained in another, each once. */
const outermost = (paths: readonly Parts[]): Parts[] =>
  paths.filter((path, at) =>
    paths.every((other, nth) => nth === at || !isWithin(path, other) || (path.length === other.length && at < nth)),
  )

const compressions: Readonly<Partial<Record<FileInput<'archive'>['format'], AnyCompression>>> = {
  'tar.gz': 'gzip',
  'tar.bz2': 'bzip2',
  'tar.xz': 'xz',
  'tar.zst': 'zstd',
}

function refuseWithoutProgram(format: FileInput<'archive'>['format']): void {
  const as = compressions[format]
  if (as && !canCompress(as))
    throw new FileError(
      'not-configured',
      `This host cannot write ${as} archives: install the package ${as === 'xz' ? 'xz-utils' : as}.`,
    )
}

/** Names in the archive are relative to the parent of all that is packed. */
async function pack(
  home: Home,
  paths: readonly Parts[],
  work: Directory,
  name: Buffer,
  { format, room }: FileInput<'archive'>,
  signal: AbortSignal | undefined,
): Promise<Archived> {
  const base = commonParent(paths)
  const leavesOut = (path: Parts): boolean => base.length === 0 && path.length === 1 && isOwn(path[0]!)
  const zip = format === 'zip' && new ZipFormat()
  const packer = new Packer({ owner: home.uid, format: zip || tarFormat, leavesOut, signal })
  return holding(descend(home, base, 'paths'), async (from) => {
    const below = paths.map((path) => path.slice(base.length))
    const bytes = below.some((path) => path.length === 0) ? packer.pack(from) : packer.packSome(from, below)
    const file = await work.create(name)
    try {
      const as = compressions[format]
      const packed = as ? through(bytes, compress(as, signal)) : bytes
      const size = await writeAll(file, packed, room)
      return { files: packer.files, size, warnings: packer.warnings() }
    } finally {
      await file.close()
    }
  })
}

/** The panel's own files in a home are not the customer's. */
const isOwn = (name: Buffer): boolean => name.equals(ownDirectory) || name.equals(Buffer.from('.trash'))

/** For the home itself, the home. */
function commonParent(paths: readonly Parts[]): Parts {
  const [first = [], ...others] = paths.map((path) => path.slice(0, -1))
  const same = first.findIndex((part, at) => others.some((other) => !other[at]?.equals(part)))
  return same < 0 ? first : first.slice(0, same)
}

async function writeAll(file: FileHandle, bytes: AsyncIterable<Buffer>, room: number | undefined): Promise<number> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > (room ?? size)) throw quotaUsedUp()
    await file.writeFile(piece)
  }
  await file.chmod(0o644)
  await file.sync()
  return size
}
