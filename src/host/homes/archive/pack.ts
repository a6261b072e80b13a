import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { FileError, HostError } from '../../contract/error.ts'
import type { Directory } from '../home/directory.ts'
import type { ArchiveFormat, WrittenEntry } from './format.ts'
import { tarFormat } from './tar.ts'
import { Unoccupied } from './unoccupied.ts'
import { joined, textOf, Warnings } from './warnings.ts'

type BytePath = readonly Buffer[]

export interface Packing {
  /** What to skip, by path relative to the archive's root. */
  readonly leavesOut?: (path: BytePath) => boolean
  /** The required owner of everything in it. */
  readonly owner?: bigint
  /** Whether setgid and sticky are packed, too: for archives that only their owner unpacks. */
  readonly specialModes?: boolean
  /** A tar archive by default. */
  readonly format?: ArchiveFormat
  readonly signal?: AbortSignal | undefined
}

const chunk = 256 * 1024
/** Files with several names that are recognized under the further ones; beyond, each name is a file of its own. */
const MAX_LINKED_FILES = 500_000
/** Each level is held open while its entries are read. */
const deepest = 256

/** Writes a directory into an archive. Symlinks are stored as symlinks and never followed. */
export class Packer {
  files = 0
  /** Files, directories and links; further names of a file are not counted. */
  inodes = 0
  /** Of files, as stored on disk. */
  bytes = 0
  readonly #warnings = new Warnings()
  /** The first name of each file with several. */
  readonly #linked = new Map<string, Buffer>()
  readonly #unoccupied = new Unoccupied()
  readonly #packing: Packing
  readonly #format: ArchiveFormat

  constructor(packing: Packing = {}) {
    this.#packing = packing
    this.#format = packing.format ?? tarFormat
  }

  async *pack(directory: Directory): AsyncGenerator<Buffer> {
    yield* this.#inside(directory, [])
    yield this.#format.end()
  }

  /** Only these paths below a directory; each must exist. */
  async *packSome(directory: Directory, paths: readonly BytePath[]): AsyncGenerator<Buffer> {
    for (const path of paths) yield* this.#some(directory, path, 0)
    yield this.#format.end()
  }

  async *#some(directory: Directory, path: BytePath, depth: number): AsyncGenerator<Buffer> {
    const name = path[depth]!
    if (depth === path.length - 1) return yield* this.#one(directory, name, path, await directory.lstat(name))
    const below = await directory.down(name)
    try {
      yield* this.#some(below, path, depth + 1)
    } finally {
      await below.close()
    }
  }

  /** Files that were skipped, or that changed while being read. */
  warnings(): string[] {
    return this.#warnings.lines()
  }

  #warn(path: BytePath, what: string): void {
    this.#warnings.add(path, what)
  }

  async *#inside(directory: Directory, above: BytePath): AsyncGenerator<Buffer> {
    if (above.length > deepest)
      throw new HostError('stage', `${textOf(above.slice(0, 4))}…: there are too many levels.`)
    for await (const name of directory.names()) {
      this.#packing.signal?.throwIfAborted()
      const path = [...above, name]
      if (this.#packing.leavesOut?.(path)) continue
      const stats = await directory.find(name)
      if (stats) yield* this.#one(directory, name, path, stats)
      else this.#warn(path, 'was removed while it was read')
    }
  }

  async *#one(parent: Directory, name: Buffer, path: BytePath, stats: BigIntStats): AsyncGenerator<Buffer> {
    this.#refuseForeign(path, stats)
    try {
      if (stats.isDirectory()) yield* this.#directory(parent, name, path, stats)
      else if (stats.isSymbolicLink()) yield* this.#link(parent, name, path, stats)
      else if (stats.isFile()) yield* this.#file(parent, name, path)
      else this.#warn(path, 'is a device, a socket or a pipe, and was left out')
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      const isLinkNoMore = code === 'EINVAL' && stats.isSymbolicLink()
      if (!vanished.has(code) && !isLinkNoMore) throw namedError(error, path)
      this.#warn(path, 'changed while it was read')
    }
  }

  #refuseForeign(path: BytePath, { uid }: BigIntStats): void {
    if (uid !== (this.#packing.owner ?? uid))
      throw new FileError('forbidden', `${textOf(path)} does not belong to the account.`)
  }

  async *#directory(parent: Directory, name: Buffer, path: BytePath, stats: BigIntStats): AsyncGenerator<Buffer> {
    const directory = await parent.down(name)
    try {
      yield* this.#format.entry(this.#entryOf(path, 'directory', stats))
      this.inodes++
      yield* this.#inside(directory, path)
    } finally {
      await directory.close()
    }
  }

  async *#link(parent: Directory, name: Buffer, path: BytePath, stats: BigIntStats): AsyncGenerator<Buffer> {
    const target = await parent.readlink(name)
    yield* this.#format.entry({ ...this.#entryOf(path, 'link', stats), target })
    this.files++
    this.inodes++
  }

  async *#file(parent: Directory, name: Buffer, path: BytePath): AsyncGenerator<Buffer> {
    const file = await parent.openToRead(name)
    try {
      const stats = await file.stat({ bigint: true })
      if (!stats.isFile()) return this.#warn(path, 'changed while it was read')
      this.#refuseForeign(path, stats)
      const first = this.#format.hardLinks && this.#linked.get(inodeOf(stats))
      if (first) return yield* this.#secondName(path, stats, first)
      if (!this.#unoccupied.take(stats)) return this.#warn(path, hollow)
      const size = Number(stats.size)
      const entry = { ...this.#entryOf(path, 'file', stats), size, linked: stats.nlink > 1n }
      yield* this.#format.entry(entry, this.#content(file, size, path))
      if (entry.linked && this.#linked.size < MAX_LINKED_FILES) this.#linked.set(inodeOf(stats), entry.path)
      this.files++
      this.inodes++
      this.bytes += size
      const after = await file.stat({ bigint: true })
      if (after.mtimeNs !== stats.mtimeNs || after.size !== stats.size) this.#warn(path, 'changed while it was read')
    } finally {
      await file.close()
    }
  }

  async *#secondName(path: BytePath, stats: BigIntStats, target: Buffer): AsyncGenerator<Buffer> {
    yield* this.#format.entry({ ...this.#entryOf(path, 'hard', stats), target })
    this.files++
  }

  #entryOf(path: BytePath, type: WrittenEntry['type'], { mode, mtimeNs }: BigIntStats): WrittenEntry {
    const modes = this.#packing.specialModes ? 0o3777n : 0o777n
    const mtime = Number(mtimeNs / 1_000_000_000n)
    return { path: joined(path), type, mode: Number(mode & modes), mtime, mtimeNs, size: 0 }
  }

  /** Exactly as many bytes as the header says: a file that has shrunk is padded with zeros. */
  async *#content(file: FileHandle, size: number, path: BytePath): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      this.#packing.signal?.throwIfAborted()
      const { bytesRead, buffer } = await file
        .read(Buffer.allocUnsafe(Math.min(left, chunk)), 0, Math.min(left, chunk))
        .catch((error: unknown) => Promise.reject(namedError(error, path)))
      yield bytesRead === 0 ? Buffer.alloc(Math.min(left, chunk)) : buffer.subarray(0, bytesRead)
      left -= bytesRead === 0 ? Math.min(left, chunk) : bytesRead
    }
  }
}

const hollow = 'was left out: holes and hard links in what is packed exceed 64 GiB'

/** Errors that mean it was replaced. */
const vanished = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'])

const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

function namedError(error: unknown, path: BytePath): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EIO') return error
  return new HostError('stage', `${textOf(path)} could not be read (${code}).`)
}
