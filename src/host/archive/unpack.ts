import type { FileHandle } from 'node:fs/promises'
import * as fs from 'node:fs/promises'
import { HostError } from '../error.ts'
import type { Directory } from '../home/directory.ts'
import { textOf } from './pack.ts'
import { entriesOf, type ReadEntry } from './read.ts'

export interface Unpacking {
  /** The owner of what is unpacked; by default the user of this process. */
  readonly uid?: number
  /** What is wanted, by its path; everything where it is not given. */
  readonly wants?: (path: readonly Buffer[]) => boolean
  readonly signal?: AbortSignal | undefined
}

interface Later {
  readonly path: readonly Buffer[]
  readonly entry: ReadEntry
}

const hole = 64 * 1024
const zeros = Buffer.alloc(hole)

/**
 * Unpacks an archive into a directory that is empty. Nothing it writes goes through a link: links are made last, as they
 * are. setuid, setgid and sticky are dropped.
 */
export class Unpacker {
  files = 0
  readonly #root: Directory
  readonly #unpacking: Unpacking
  readonly #links: Later[] = []
  readonly #directories: Later[] = []
  /** The directories that are open, from the root down to where the last entry was. */
  #open: { readonly name: Buffer; readonly directory: Directory }[] = []

  constructor(root: Directory, unpacking: Unpacking = {}) {
    this.#root = root
    this.#unpacking = unpacking
  }

  async unpack(bytes: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const entry of entriesOf(bytes)) await this.#one(entry)
      for (const { path, entry } of this.#links) await this.#link(path, entry)
      for (const { path, entry } of this.#directories.reverse()) await this.#shape(path, entry)
    } finally {
      await this.#goUp(0)
    }
  }

  async #one(entry: ReadEntry): Promise<void> {
    this.#unpacking.signal?.throwIfAborted()
    const path = partsOf(entry.path)
    if (this.#unpacking.wants && !this.#unpacking.wants(path)) return
    if (entry.type === 'file') await this.#file(path, entry)
    else if (entry.type === 'link') this.#links.push({ path, entry })
    else await this.#directory(path, entry)
  }

  async #directory(path: readonly Buffer[], entry: ReadEntry): Promise<void> {
    const parent = await this.#goTo(path.slice(0, -1))
    await parent.makeDirectory(path.at(-1)!, 0o700).catch((error: unknown) => refuseTwice(error, path))
    this.#directories.push({ path, entry })
  }

  async #file(path: readonly Buffer[], { size, mode, mtime, content }: ReadEntry): Promise<void> {
    const parent = await this.#goTo(path.slice(0, -1))
    const file = await parent.create(path.at(-1)!).catch((error: unknown) => refuseTwice(error, path))
    try {
      await write(file, content(), size)
      await this.#own((uid) => file.chown(uid, uid))
      await file.chmod(mode)
      await file.utimes(mtime, mtime)
      this.files++
    } finally {
      await file.close()
    }
  }

  async #link(path: readonly Buffer[], { target }: ReadEntry): Promise<void> {
    const parent = await this.#goTo(path.slice(0, -1))
    const name = path.at(-1)!
    await parent.symlink(target!, name).catch((error: unknown) => refuseTwice(error, path))
    await this.#own((uid) => fs.lchown(parent.place(name), uid, uid))
    this.files++
  }

  /** Once all is in it. */
  async #shape(path: readonly Buffer[], { mode, mtime }: ReadEntry): Promise<void> {
    await this.#goUp(path.length - 1)
    const parent = await this.#goTo(path.slice(0, -1))
    const place = parent.place(path.at(-1)!)
    await this.#own((uid) => fs.lchown(place, uid, uid))
    await fs.chmod(place, mode)
    await fs.lutimes(place, mtime, mtime)
  }

  #own(act: (uid: number) => Promise<void>): Promise<void> {
    const { uid } = this.#unpacking
    return uid === undefined || uid === process.getuid?.() ? Promise.resolve() : act(uid)
  }

  /** The directory at a path, each opened from the one above; what an archive does not say of the way to it is made. */
  async #goTo(path: readonly Buffer[]): Promise<Directory> {
    let same = 0
    while (same < path.length && this.#open[same]?.name.equals(path[same]!)) same++
    await this.#goUp(same)
    for (const name of path.slice(same)) {
      const above = this.#open.at(-1)?.directory ?? this.#root
      if (!(await above.find(name))) {
        await above.makeDirectory(name, 0o755)
        await this.#own((uid) => fs.lchown(above.place(name), uid, uid))
      }
      this.#open.push({ name, directory: await above.down(name) })
    }
    return this.#open.at(-1)?.directory ?? this.#root
  }

  async #goUp(depth: number): Promise<void> {
    const left = this.#open.slice(depth)
    this.#open = this.#open.slice(0, depth)
    for (const { directory } of left.reverse()) await directory.close()
  }
}

/** What is nothing but zeros becomes a hole. */
async function write(file: FileHandle, content: AsyncIterable<Buffer>, size: number): Promise<void> {
  let at = 0
  for await (const piece of content)
    for (let from = 0; from < piece.length; from += hole) {
      const part = piece.subarray(from, from + hole)
      if (!part.equals(zeros.subarray(0, part.length))) await writeAll(file, part, at)
      at += part.length
    }
  await file.truncate(size)
}

async function writeAll(file: FileHandle, part: Buffer, at: number): Promise<void> {
  for (let done = 0; done < part.length; )
    done += (await file.write(part, done, part.length - done, at + done)).bytesWritten
}

const refused = (what: string): HostError => new HostError('stage', `The archive was refused: ${what}.`)

function refuseTwice(error: unknown, path: readonly Buffer[]): never {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  throw refused(`${textOf(path)} is in it twice`)
}

/** Relative, and below where it is unpacked. */
export function partsOf(path: Buffer): Buffer[] {
  const parts = path
    .toString('latin1')
    .split('/')
    .map((part) => Buffer.from(part, 'latin1'))
  const wrong = parts.some(
    (part) => part.length === 0 || part.includes(0) || ['.', '..'].includes(part.toString('latin1')),
  )
  if (wrong) throw refused('it names a path that is absolute or leads out of it')
  return parts
}
