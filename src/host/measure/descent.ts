import { accessSync, closeSync, constants, type Dir, fstatSync, lstatSync, opendirSync, openSync } from 'node:fs'
import { passing } from './passing.ts'

const directory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** Levels that stay open; those above them are opened again, and read on, when the walk comes back. */
const maxOpen = 128
const slash = Buffer.from('/')

/** A directory on the way down. */
interface Level {
  readonly dev: number
  readonly ino: number
  /** How many of its entries were taken. */
  taken: number
  open: { readonly fd: number; readonly dir: Dir; readonly path: Buffer } | undefined
}

/**
 * A way down a tree, one level at a time, by open descriptors: it can be longer than a path may be, and a
 * link that takes the place of a directory is never followed. It keeps a few numbers for each level.
 */
export class Descent {
  readonly #levels: Level[] = []
  /** How many entries were read, those that had to be read again included. */
  read = 0

  /** Begins at a directory; undefined if there is none. */
  static into(dir: string): Descent | undefined {
    const descent = new Descent()
    return descent.#enter(Buffer.from(dir)) ? descent : undefined
  }

  get fd(): number {
    return this.#now.fd
  }

  get depth(): number {
    return this.#levels.length
  }

  get isAtTop(): boolean {
    return this.#levels.length === 1
  }

  /** The name of the next entry of this level, as it is on the disk. */
  next(): Buffer | undefined {
    const level = this.#levels.at(-1)!
    const entry = this.#now.dir.readSync()
    this.read += 1
    if (entry) level.taken += 1
    return entry?.name as Buffer | undefined
  }

  /** Where an entry of this level is. */
  pathOf(name: Buffer): Buffer {
    return Buffer.concat([this.#now.path, slash, name])
  }

  /** Goes down into an entry of this level, if it is still a directory; false where it may not be read. */
  down(name: Buffer): boolean {
    if (!this.#enter(this.pathOf(name))) return !isClosed(this.pathOf(name))
    const far = this.#levels.at(-1 - maxOpen)
    if (far) letGo(far)
    return true
  }

  /** Goes back up; false if the directory was moved meanwhile, and what is above it now is another. */
  up(): boolean {
    const above = this.#levels.at(-2)!
    const found = above.open !== undefined || this.#openAgain(above)
    letGo(this.#levels.pop()!)
    return found
  }

  close(): void {
    for (const level of this.#levels) letGo(level)
  }

  get #now(): NonNullable<Level['open']> {
    return this.#levels.at(-1)!.open!
  }

  #enter(path: Buffer): boolean {
    const open = openDir(path)
    if (!open) return false
    const { dev, ino } = fstatSync(open.fd)
    this.#levels.push({ dev, ino, taken: 0, open })
    return true
  }

  #openAgain(level: Level): boolean {
    const open = openDir(this.pathOf(Buffer.from('..')))
    if (!open) return false
    level.open = open
    const { dev, ino } = fstatSync(open.fd)
    if (dev !== level.dev || ino !== level.ino) return false
    for (let n = 0; n < level.taken && open.dir.readSync(); n++) this.read += 1
    return true
  }
}

/** Whether a directory is there that this process may not read. */
const isClosed = (path: Buffer): boolean => passing(() => lstatSync(path).isDirectory() && !isReadable(path)) ?? false

const isReadable = (path: Buffer): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function openDir(path: Buffer): Level['open'] {
  const fd = passing(() => openSync(path, directory))
  if (fd === undefined) return undefined
  const dir = passing(() => opendirSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' as BufferEncoding }))
  if (dir) return { fd, dir, path: Buffer.from(`/proc/self/fd/${fd}`) }
  closeSync(fd)
  return undefined
}

function letGo(level: Level): void {
  level.open?.dir.closeSync()
  if (level.open) closeSync(level.open.fd)
  level.open = undefined
}
