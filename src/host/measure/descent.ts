import { accessSync, closeSync, constants, type Dir, fstatSync, lstatSync, opendirSync, openSync } from 'node:fs'
import { passing } from './passing.ts'

const directory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** The number of open levels; those above are reopened, and reread up to the same entry, on the way back. */
const maxOpen = 128
const slash = Buffer.from('/')

/** A directory on the way down. */
interface Level {
  readonly dev: number
  readonly ino: number
  /** The number of entries visited. */
  taken: number
  open: { readonly fd: number; readonly dir: Dir; readonly path: Buffer } | undefined
}

/**
 * A path down a tree, one level at a time, by open descriptors: it can exceed the maximum path length, and a symlink
 * that replaces a directory is never followed. Each level costs only a few numbers.
 */
export class Descent {
  readonly #levels: Level[] = []
  /** The number of entries read, rereads included. */
  read = 0

  /** Starts at a directory; undefined if there is none. */
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

  /** The name of this level's next entry, as on disk. */
  next(): Buffer | undefined {
    const level = this.#levels.at(-1)!
    const entry = this.#now.dir.readSync()
    this.read += 1
    if (entry) level.taken += 1
    return entry?.name as Buffer | undefined
  }

  /** The path of an entry of this level. */
  pathOf(name: Buffer): Buffer {
    return Buffer.concat([this.#now.path, slash, name])
  }

  /** Descends into an entry of this level, if it is still a directory; false if it is unreadable. */
  down(name: Buffer): boolean {
    if (!this.#enter(this.pathOf(name))) return !isClosed(this.pathOf(name))
    const far = this.#levels.at(-1 - maxOpen)
    if (far) letGo(far)
    return true
  }

  /** Goes back up; false if the directory was moved in between, and its parent is now another. */
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

/** Whether it is a directory that this process may not read. */
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
