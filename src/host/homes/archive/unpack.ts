import * as fs from 'node:fs/promises'
import { inodesUsedUp, quotaUsedUp } from '../../contract/error.ts'
import { type Directory, holding } from '../home/directory.ts'
import type { ReadEntry } from './entry.ts'
import { insideTarget, keyOf, LinkBudget, leadsOut } from './links.ts'
import { refused } from './refused.ts'
import { writeSparse } from './sparse.ts'

import { textOf, Warnings } from './warnings.ts'

/**
 * A time in seconds as Node.js takes it: it replaces negative numbers by now, and cuts nanoseconds, so that the nearest
 * number below a fraction would lose a microsecond.
 */
const timeArgument = (seconds: number): number | Date =>
  seconds < 0 ? new Date(Math.round(seconds * 1000)) : Number.isInteger(seconds) ? seconds : seconds + 1.5e-7

/** The limits of an untrusted archive. Links that lead out of it are left out. */
export interface UnpackLimits {
  readonly entries: number
  /** Of all files, as written. */
  readonly bytes: number
  /** The depth of directories. */
  readonly depth: number
}

export interface Unpacking {
  /** The owner of the unpacked files; by default this process's user. */
  readonly uid?: number
  /** Selects entries by path; all of them by default. */
  readonly wants?: (path: readonly Buffer[]) => boolean
  /** Where files are unpacked that are not selected, but may have further names that are; the caller removes it. */
  readonly spool?: Directory
  /** For an archive that is not the panel's own. */
  readonly limits?: UnpackLimits
  /** How many files, directories and links to make at most. */
  readonly inodes?: number | undefined
  readonly signal?: AbortSignal | undefined
}

type Path = readonly Buffer[]

/** An entry that is created at the end, without what reading it needed; its path is one buffer until then. */
interface Later extends Pick<ReadEntry, 'path' | 'type' | 'mode' | 'mtime'> {
  readonly depth: number
  readonly target: Buffer
}

/** What any program of the system may name, and what a file system stores. */
const [MAX_PATH_BYTES, MAX_TARGET_BYTES, MAX_NAME_BYTES] = [4096, 4095, 255]
/** Of all paths and link targets of an archive: they are kept until its end. */
const MAX_NAMES_BYTES = 64 * 1024 * 1024
/** Of what absolute links of an archive may mean in it. */
const MAX_LOOKUPS = 200_000

/**
 * Unpacks an archive into an empty directory. Nothing is written through a symlink: symlinks are created last, those of
 * an untrusted archive only if they stay in it. setuid is dropped; of an untrusted archive setgid and sticky, too.
 */
export class Unpacker {
  files = 0
  bytes = 0
  #entries = 0
  #inodes = 0
  #namesBytes = 0
  readonly #root: Directory
  readonly #unpacking: Unpacking
  readonly #links: Later[] = []
  readonly #directories: Later[] = []
  /** Regular files of an untrusted archive, which hard links may refer to, with their checksums. */
  readonly #named = new Map<string, string | undefined>()
  /** The names of files that are not selected, by their paths in the archive. */
  readonly #spool = new Map<string, Buffer>()
  readonly #warnings = new Warnings()
  #absolute = 0
  #lookups = MAX_LOOKUPS
  /** The open directories, from the root down to that of the last entry. */
  #open: { readonly name: Buffer; readonly directory: Directory }[] = []

  constructor(root: Directory, unpacking: Unpacking = {}) {
    this.#root = root
    this.#unpacking = unpacking
  }

  async unpack(entries: AsyncIterable<ReadEntry>): Promise<void> {
    try {
      for await (const entry of entries) await this.#one(entry)
      await this.#makeLinks()
      const deepestFirst = this.#directories.sort((one, other) => other.depth - one.depth)
      for (const entry of deepestFirst) await this.#shape(insideOf(entry.path), entry)
    } finally {
      await this.#goUp(0)
    }
  }

  /** What was left out or changed, for users. */
  warnings(): string[] {
    const lines = this.#warnings.lines()
    if (this.#absolute === 0) return lines
    const them = this.#absolute === 1 ? '1 path begins' : `${this.#absolute} paths begin`
    return [`${them} with "/", and became relative to the directory`, ...lines]
  }

  async #one(entry: ReadEntry): Promise<void> {
    this.#unpacking.signal?.throwIfAborted()
    const path = insideOf(entry.path)
    if (path.length === 0) return this.#atRoot(entry)
    if (entry.path[0] === slash) this.#absolute++
    if (this.#unpacking.wants && !this.#unpacking.wants(path)) return this.#spoolUnwanted(path, entry)
    const problem = this.#problemOf(path, entry)
    this.#count(problem ? 0 : entry.path.length + (entry.target?.length ?? 0))
    if (problem) return this.#leaveOut(path, problem)
    return this.#make(path, entry).catch((error: unknown) => this.#leaveOutAfter(error, path))
  }

  /** Why an entry cannot be made, whatever else is in the archive. */
  #problemOf(path: Path, { type, path: { length }, target }: ReadEntry): string | undefined {
    const { limits } = this.#unpacking
    if (type === 'other') return 'is a device, a FIFO or of an unknown type'
    if (!limits) return undefined
    if (length > MAX_PATH_BYTES) return `has a path of more than ${MAX_PATH_BYTES} bytes`
    if ((target?.length ?? 0) > MAX_TARGET_BYTES) return `is a link to a path of more than ${MAX_TARGET_BYTES} bytes`
    if (path.some((name) => name.length > MAX_NAME_BYTES)) return `has a name of more than ${MAX_NAME_BYTES} bytes`
    return path.length > limits.depth ? `is more than ${limits.depth} directories deep` : undefined
  }

  /** Of an untrusted archive the rest is unpacked; the panel's own must be complete. */
  #leaveOut(path: Path, what: string): void {
    if (!this.#unpacking.limits) throw refused(`${textOf(path)} ${what}`)
    this.#warnings.add(path, `${what}, and was left out`)
  }

  #leaveOutAfter(error: unknown, path: Path): void {
    if (!(error instanceof Taken)) throw error
    this.#leaveOut(path, error.message)
  }

  async #make(path: Path, entry: ReadEntry): Promise<void> {
    if (entry.type === 'directory') return this.#directory(path, entry)
    if (entry.type === 'file') return this.#file(path, entry)
    if (entry.type === 'hard' && !this.#unpacking.limits) return this.#secondName(path, entry.target ?? Buffer.alloc(0))
    this.#links.push(laterOf(entry, path.length))
  }

  async #spoolUnwanted(path: Path, entry: ReadEntry): Promise<void> {
    const { spool } = this.#unpacking
    if (!spool || entry.type !== 'file' || !entry.linked) return
    const name = Buffer.from(String(this.#spool.size))
    await this.#write(await spool.create(name), entry)
    this.#spool.set(keyOf(path), name)
  }

  /** The archive's own directory, which exists; it may be named any number of times, and each is counted. */
  #atRoot({ type }: ReadEntry): void {
    if (type !== 'directory') throw refused(leadingOut)
    this.#count(0)
  }

  /** An entry, and what is kept of its names. */
  #count(namesBytes: number): void {
    const { limits } = this.#unpacking
    if (!limits) return
    if (++this.#entries > limits.entries) throw refused(`it contains more than ${limits.entries} entries`)
    this.#namesBytes += namesBytes
    if (this.#namesBytes > MAX_NAMES_BYTES) throw refused('the names in it exceed 64 MiB')
  }

  /** Before one more file, directory or link is made. */
  #makeOne(): void {
    if (++this.#inodes > (this.#unpacking.inodes ?? this.#inodes)) throw inodesUsedUp()
  }

  #take(bytes: number): void {
    this.#unpacking.signal?.throwIfAborted()
    this.bytes += bytes
    if (this.bytes > (this.#unpacking.limits?.bytes ?? this.bytes)) throw quotaUsedUp()
  }

  async #directory(path: Path, entry: ReadEntry): Promise<void> {
    const parent = await this.#goTo(path.slice(0, -1))
    const name = path.at(-1)!
    this.#makeOne()
    await parent.makeDirectory(name, 0o700).catch(async (error: unknown) => {
      this.#inodes--
      if (!isTaken(error) || !(await parent.lstat(name)).isDirectory()) throwTaken(error)
    })
    this.#directories.push(laterOf(entry, path.length))
  }

  async #file(path: Path, entry: ReadEntry): Promise<void> {
    const parent = await this.#goTo(path.slice(0, -1))
    this.#makeOne()
    const file = await parent.create(path.at(-1)!).catch((error: unknown) => this.#again(error, parent, path, entry))
    if (!file) return
    await this.#write(file, entry)
    this.files++
    if (this.#unpacking.limits) this.#named.set(keyOf(path), entry.sum)
  }

  async #write(file: fs.FileHandle, entry: ReadEntry): Promise<void> {
    try {
      await writeSparse(file, entry, (bytes) => this.#take(bytes))
      await this.#own((uid) => file.chown(uid, uid))
      await file.chmod(entry.mode & this.#modes)
      await file.utimes(timeArgument(entry.mtime), timeArgument(entry.mtime))
    } finally {
      await file.close()
    }
  }

  /** A file's second entry replaces the first, unless a checksum says that it is the same. */
  async #again(error: unknown, parent: Directory, path: Path, { sum }: ReadEntry): Promise<fs.FileHandle | undefined> {
    const key = keyOf(path)
    this.#inodes--
    if (!isTaken(error) || !this.#named.has(key)) return throwTaken(error)
    if (sum !== undefined && sum === this.#named.get(key)) return undefined
    await parent.unlink(path.at(-1)!)
    this.files--
    this.#warnings.add(path, 'is in it twice; the last one was unpacked')
    return parent.create(path.at(-1)!)
  }

  /** Hard links before symlinks, through which they could lead. */
  async #makeLinks(): Promise<void> {
    const hard = this.#links.filter(({ type }) => type === 'hard')
    for (const { path, target } of hard)
      await this.#secondName(insideOf(path), target).catch((error: unknown) =>
        this.#leaveOutAfter(error, insideOf(path)),
      )
    const links = this.#links.filter(({ type }) => type === 'link')
    const desired = this.#unpacking.limits ? await this.#insideOnly(links) : links
    for (const entry of desired) {
      const path = insideOf(entry.path)
      await this.#link(path, entry).catch((error: unknown) => this.#leaveOutAfter(error, path))
    }
  }

  async #secondName(path: Path, target: Buffer): Promise<void> {
    const source = insideOf(target)
    if (this.#unpacking.limits && !this.#named.has(keyOf(source)))
      return this.#leaveOut(path, `is a hard link to ${textOf([target])}, which is not a file of the archive`)
    if (keyOf(path) === keyOf(source)) return
    const [from, name] = await this.#sourceOf(source)
    try {
      const parent = await this.#goTo(path.slice(0, -1))
      await from
        .link(name, parent, path.at(-1)!)
        .catch((error: unknown) => this.#linkAgain(error, from, name, parent, path))
    } finally {
      await from.close()
    }
    this.files++
  }

  async #sourceOf(source: Path): Promise<readonly [Directory, Buffer]> {
    const spool = this.#spool.get(keyOf(source))
    if (spool) return [await this.#unpacking.spool!.again(), spool]
    return [await (await this.#goTo(source.slice(0, -1))).again(), source.at(-1)!]
  }

  /** A name that is there already is replaced by the link, which names the same file then. */
  async #linkAgain(error: unknown, from: Directory, name: Buffer, parent: Directory, path: Path): Promise<void> {
    if (!isTaken(error) || !this.#named.has(keyOf(path))) return throwTaken(error)
    await parent.unlink(path.at(-1)!)
    await from.link(name, parent, path.at(-1)!)
    this.files--
  }

  /** The links that stay in the archive, each name once. What was absolute and names something in it becomes relative. */
  async #insideOnly(all: readonly Later[]): Promise<Later[]> {
    const links = new Map<string, Later>()
    for (const link of all) {
      const path = insideOf(link.path)
      if (await this.#root.find(Buffer.from(keyOf(path), 'latin1')).catch(() => undefined)) {
        this.#leaveOut(path, OF_DIFFERENT_KINDS)
        continue
      }
      links.set(keyOf(path), await this.#relative(path, link))
    }
    const targets = new Map([...links].map(([key, { target }]) => [key, target]))
    const budget = new LinkBudget()
    return [...links.values()].filter((link) => {
      const path = insideOf(link.path)
      if (!leadsOut(path, link.target, targets, budget)) return true
      this.#warnings.add(path, `is a link that leads out of the archive, to ${textOf([link.target])}, and was left out`)
      return false
    })
  }

  async #relative(path: Path, link: Later): Promise<Later> {
    const target = await insideTarget(path, link.target, (inside) => this.#exists(inside))
    if (target === undefined) return link
    this.#warnings.add(path, `is a link to ${textOf([link.target])}, and became one to ${textOf([target])}`)
    return { ...link, target }
  }

  /** Symlinks are created last, so none is followed. */
  async #exists(path: Path): Promise<boolean> {
    if (--this.#lookups < 0) return false
    return (await this.#root.find(Buffer.from(keyOf(path), 'latin1')).catch(() => undefined)) !== undefined
  }

  async #link(path: Path, { target }: Later): Promise<void> {
    this.#unpacking.signal?.throwIfAborted()
    if (target.length === 0 || target.includes(0)) return this.#leaveOut(path, 'is a link to an invalid path')
    const parent = await this.#goTo(path.slice(0, -1))
    const name = path.at(-1)!
    this.#makeOne()
    await parent.symlink(target, name).catch(throwTaken)
    await this.#own((uid) => fs.lchown(parent.place(name), uid, uid))
    this.files++
  }

  /** Called once its content is complete. */
  async #shape(path: Path, { mode, mtime }: Later): Promise<void> {
    await this.#goUp(path.length - 1)
    const parent = await this.#goTo(path.slice(0, -1))
    const place = parent.place(path.at(-1)!)
    await this.#own((uid) => fs.lchown(place, uid, uid))
    // Does not follow what may have replaced it in between.
    await holding(parent.down(path.at(-1)!), (made) => made.chmod((mode & this.#modes) | this.#usable))
    await fs.lutimes(place, timeArgument(mtime), timeArgument(mtime))
  }

  /** The permissions that its owner needs to use a directory and delete its entries. */
  get #usable(): number {
    return this.#unpacking.limits ? 0o700 : 0
  }

  get #modes(): number {
    return this.#unpacking.limits ? 0o777 : 0o3777
  }

  #own(act: (uid: number) => Promise<void>): Promise<void> {
    const { uid } = this.#unpacking
    return uid === undefined || uid === process.getuid?.() ? Promise.resolve() : act(uid)
  }

  /** Opens the directory at a path, each level from the one above; creates levels that the archive does not list. */
  async #goTo(path: Path): Promise<Directory> {
    let same = 0
    while (same < path.length && this.#open[same]?.name.equals(path[same]!)) same++
    await this.#goUp(same)
    for (const name of path.slice(same)) {
      const above = this.#open.at(-1)?.directory ?? this.#root
      if (!(await above.find(name))) await this.#makeParents(above, name)
      const directory = await above.down(name).catch(throwFile)
      this.#open.push({ name, directory })
    }
    return this.#open.at(-1)?.directory ?? this.#root
  }

  async #makeParents(above: Directory, name: Buffer): Promise<void> {
    this.#count(keyOf([...this.#open.map(({ name }) => name), name]).length)
    this.#makeOne()
    await above.makeDirectory(name, 0o755)
    await this.#own((uid) => fs.lchown(above.place(name), uid, uid))
  }

  async #goUp(depth: number): Promise<void> {
    const left = this.#open.slice(depth)
    this.#open = this.#open.slice(0, depth)
    for (const { directory } of left.reverse()) await directory.close()
  }
}

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST'

/** An entry's place is taken by another entry. */
class Taken extends Error {}

const OF_DIFFERENT_KINDS = 'is in it twice, as different kinds'

function throwTaken(error: unknown): never {
  throw isTaken(error) ? new Taken(OF_DIFFERENT_KINDS) : error
}

function throwFile(error: unknown): never {
  const isFile = (error as NodeJS.ErrnoException).code === 'ENOTDIR'
  throw isFile ? new Taken('is in a directory that is a file in it, too') : error
}

/** Paths are copied: a name from a zip is a slice of its directory. */
const laterOf = ({ path, type, mode, mtime, target }: ReadEntry, depth: number): Later => ({
  path: Buffer.from(path),
  type,
  mode,
  mtime,
  depth,
  target: Buffer.from(target ?? ''),
})

const slash = 0x2f
const leadingOut = 'it names a path that leads out of it'

/** A path's segments, without empty ones and `.`; a `/` at its start is dropped, as by all programs that unpack. */
function insideOf(path: Buffer): Buffer[] {
  if (path.length === 0) throw refused('it names an empty path')
  const parts = partsIn(path).filter((part) => part.length > 0 && part.toString('latin1') !== '.')
  if (parts.some((part) => part.includes(0) || part.toString('latin1') === '..')) throw refused(leadingOut)
  return parts
}

const partsIn = (path: Buffer): Buffer[] =>
  path
    .toString('latin1')
    .split('/')
    .map((part) => Buffer.from(part, 'latin1'))

/** The segments of a plain relative path. */
export function partsOf(path: Buffer): Buffer[] {
  const parts = partsIn(path)
  if (parts.some((part) => part.length === 0 || part.includes(0) || ['.', '..'].includes(part.toString('latin1'))))
    throw refused(leadingOut)
  return parts
}
