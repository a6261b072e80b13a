import * as fs from 'node:fs/promises'
import { quotaUsedUp } from '../../contract/error.ts'
import { type Directory, holding } from '../home/directory.ts'
import type { ReadEntry } from './entry.ts'
import { keyOf, LinkBudget, leadsOut } from './links.ts'
import { textOf } from './pack.ts'
import { refused } from './refused.ts'
import { writeSparse } from './sparse.ts'

/** The limits of an untrusted archive. Its links must not lead out of it. */
export interface Limits {
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
  /** For an archive that is not the panel's own. */
  readonly limits?: Limits
  readonly signal?: AbortSignal | undefined
}

type Path = readonly Buffer[]

/** An entry that is created at the end, without what reading it needed; its path is one buffer until then. */
interface Later extends Pick<ReadEntry, 'path' | 'type' | 'mode' | 'mtime'> {
  readonly depth: number
  readonly target: Buffer
}

/** What any program of the system may name. */
const MAX_PATH_BYTES = 4096
/** Of all paths and link targets of an archive: they are kept until its end. */
const MAX_NAMES_BYTES = 64 * 1024 * 1024

/**
 * Unpacks an archive into an empty directory. Nothing is written through a symlink: symlinks are created last,
 * unchanged. setuid, setgid and sticky are dropped.
 */
export class Unpacker {
  files = 0
  bytes = 0
  #entries = 0
  #namesBytes = 0
  readonly #root: Directory
  readonly #unpacking: Unpacking
  readonly #links: Later[] = []
  readonly #directories: Later[] = []
  /** Directories with no entry of their own yet, and regular files, which hard links may refer to. */
  readonly #unnamed = new Set<string>()
  readonly #named = new Set<string>()
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

  async #one(entry: ReadEntry): Promise<void> {
    this.#unpacking.signal?.throwIfAborted()
    this.#refuseLong(entry)
    const path = insideOf(entry.path)
    if (path.length === 0) return this.#atRoot(entry)
    if (this.#unpacking.wants && !this.#unpacking.wants(path)) return
    if (path.length > (this.#unpacking.limits?.depth ?? path.length)) throw refused('its directories are too deep')
    if (entry.type === 'directory') return this.#directory(path, entry)
    this.#count(entry.path.length + (entry.target?.length ?? 0))
    if (entry.type === 'file') await this.#file(path, entry)
    else this.#links.push(laterOf(entry, path.length))
  }

  /** The archive's own directory, which exists; it may be named any number of times, and each is counted. */
  #atRoot({ type }: ReadEntry): void {
    if (type !== 'directory') throw refused(leadingOut)
    this.#count(0)
  }

  #refuseLong({ path, target }: ReadEntry): void {
    if (!this.#unpacking.limits || Math.max(path.length, target?.length ?? 0) <= MAX_PATH_BYTES) return
    throw refused(`it contains a path of more than ${MAX_PATH_BYTES} bytes`)
  }

  /** An entry, and what is kept of its names. */
  #count(namesBytes: number): void {
    const { limits } = this.#unpacking
    if (!limits) return
    if (++this.#entries > limits.entries) throw refused(`it contains more than ${limits.entries} entries`)
    this.#namesBytes += namesBytes
    if (this.#namesBytes > MAX_NAMES_BYTES) throw refused('the names in it exceed 64 MiB')
  }

  #take(bytes: number): void {
    this.#unpacking.signal?.throwIfAborted()
    this.bytes += bytes
    if (this.bytes > (this.#unpacking.limits?.bytes ?? this.bytes)) throw quotaUsedUp()
  }

  async #directory(path: Path, entry: ReadEntry): Promise<void> {
    this.#directories.push(laterOf(entry, path.length))
    if (this.#unnamed.delete(keyOf(path))) return
    this.#count(entry.path.length)
    const parent = await this.#goTo(path.slice(0, -1))
    await parent.makeDirectory(path.at(-1)!, 0o700).catch((error: unknown) => refuseTwice(error, path))
  }

  async #file(path: Path, entry: ReadEntry): Promise<void> {
    const parent = await this.#goTo(path.slice(0, -1))
    const file = await parent.create(path.at(-1)!).catch((error: unknown) => refuseTwice(error, path))
    try {
      await writeSparse(file, entry, (bytes) => this.#take(bytes))
      await this.#own((uid) => file.chown(uid, uid))
      await file.chmod(entry.mode & 0o777)
      await file.utimes(entry.mtime, entry.mtime)
      this.files++
      if (this.#unpacking.limits) this.#named.add(keyOf(path))
    } finally {
      await file.close()
    }
  }

  /** Hard links before symlinks, through which they could lead. */
  async #makeLinks(): Promise<void> {
    const hard = this.#links.filter(({ type }) => type === 'hard')
    for (const entry of hard) await this.#secondName(insideOf(entry.path), entry)
    const links = this.#links.filter(({ type }) => type === 'link')
    if (this.#unpacking.limits) refuseLeadingOut(links)
    for (const entry of links) await this.#link(insideOf(entry.path), entry)
  }

  async #secondName(path: Path, { target }: Later): Promise<void> {
    const source = insideOf(target)
    if (!this.#named.has(keyOf(source)))
      throw refused(`${textOf(path)} is a hard link to what is not a file of the archive`)
    await holding((await this.#goTo(source.slice(0, -1))).again(), async (from) => {
      const parent = await this.#goTo(path.slice(0, -1))
      await from.link(source.at(-1)!, parent, path.at(-1)!).catch((error: unknown) => refuseTwice(error, path))
    })
    this.files++
  }

  async #link(path: Path, { target }: Later): Promise<void> {
    this.#unpacking.signal?.throwIfAborted()
    if (target.length === 0 || target.includes(0)) throw refused(`${textOf(path)} is a link to an invalid path`)
    const parent = await this.#goTo(path.slice(0, -1))
    const name = path.at(-1)!
    await parent.symlink(target, name).catch((error: unknown) => refuseTwice(error, path))
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
    await holding(parent.down(path.at(-1)!), (made) => made.chmod((mode & 0o777) | this.#usable))
    await fs.lutimes(place, mtime, mtime)
  }

  /** The permissions that its owner needs to use a directory and delete its entries. */
  get #usable(): number {
    return this.#unpacking.limits ? 0o700 : 0
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
      const directory = await above.down(name).catch((error: unknown) => refuseFile(error, path))
      this.#open.push({ name, directory })
    }
    return this.#open.at(-1)?.directory ?? this.#root
  }

  async #makeParents(above: Directory, name: Buffer): Promise<void> {
    const key = keyOf([...this.#open.map(({ name }) => name), name])
    this.#count(key.length)
    await above.makeDirectory(name, 0o755)
    await this.#own((uid) => fs.lchown(above.place(name), uid, uid))
    this.#unnamed.add(key)
  }

  async #goUp(depth: number): Promise<void> {
    const left = this.#open.slice(depth)
    this.#open = this.#open.slice(0, depth)
    for (const { directory } of left.reverse()) await directory.close()
  }
}

function refuseTwice(error: unknown, path: Path): never {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  throw refused(`${textOf(path)} is in it twice`)
}

function refuseFile(error: unknown, path: Path): never {
  if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error
  throw refused(`${textOf(path)} is a file and a directory in it`)
}

function refuseLeadingOut(links: readonly Later[]): void {
  const targets = new Map(links.map(({ path, target }) => [keyOf(insideOf(path)), target]))
  const budget = new LinkBudget()
  for (const { path, target } of links)
    if (leadsOut(insideOf(path), target, targets, budget))
      throw refused(`${textOf(insideOf(path))} is a link that leads out of it`)
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
const leadingOut = 'it names a path that is absolute or leads out of it'

/** A path's segments, without empty ones and `.`. */
function insideOf(path: Buffer): Buffer[] {
  if (path.length === 0 || path[0] === slash) throw refused(leadingOut)
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
