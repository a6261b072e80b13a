import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { HostError } from '../contract/error.ts'
import { isInHome } from '../homes/home-paths.ts'
import type { Ids, Owners } from './owners.ts'

/** Mailboxes have names with apostrophes and the like, and their domains' logins are listed under Unicode names, too. */
const parts = /^[\p{L}\p{M}\p{N}._+'&=~-]+(?:\/[\p{L}\p{M}\p{N}._+'&=~-]+)*$/u
const dots = /(?:^|\/)\.\.?(?:\/|$)/

function checkPath(path: string): void {
  if (!parts.test(path) || dots.test(path))
    throw new HostError('stage', 'The path is not one that the panel writes to.')
}

/** A file as found on disk. */
export interface TreeEntry {
  readonly content: string
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** The file system below a root, as seen by one transaction. Symlinks are never followed. */
export class Tree {
  readonly root: string
  readonly #plain = new Set<string>()
  readonly #owners: Owners | undefined

  /** `owners`, if files there have different owners; else all belong to this process's user. */
  constructor(root: string, owners?: Owners) {
    this.root = root
    this.#owners = owners
  }

  /** Whether it has the right owner. */
  isOwned(found: Ids, request: Parameters<Owners>[0]): boolean {
    const ids = this.idsOf(request)
    return !ids || (ids.uid === found.uid && ids.gid === found.gid)
  }

  /** The right owner; undefined if it does not matter. */
  idsOf(request: Parameters<Owners>[0]): Ids | undefined {
    return this.#owners?.(request)
  }

  /** The absolute path, after checking that no directory on the way is a symlink. */
  at(path: string): string {
    checkPath(path)
    this.#checkParents(path)
    return `${this.root}/${path}`
  }

  /** The stats of the entry itself: symlinks are not followed. */
  stat(path: string): Stats | undefined {
    return lstatSync(this.at(path), { throwIfNoEntry: false })
  }

  /** The regular file at a path, if there is one; throws for anything else but a link that may be replaced. */
  read(path: string): TreeEntry | undefined {
    const absolute = this.at(path)
    // An exception costs far more than a stat.
    const stats = lstatSync(absolute, { throwIfNoEntry: false })
    return stats && !mayReplace(stats, path) ? readPlain(absolute, path) : undefined
  }

  /** Whether there is a symlink instead of a file, in a directory of root's own: a rename replaces it. */
  isLink(path: string): boolean {
    const stats = this.stat(path)
    return stats !== undefined && mayReplace(stats, path)
  }

  /** Whether the way is free of symlinks. */
  isReachable(path: string): boolean {
    try {
      this.at(path)
      return true
    } catch (error) {
      if (error instanceof HostError) return false
      throw error
    }
  }

  /** Whether it is a real directory, reached through real directories only. */
  isPlainDir(path: string): boolean {
    return this.isReachable(path) && (this.stat(path)?.isDirectory() ?? false)
  }

  #checkParents(path: string): void {
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
      const parent = path.slice(0, end)
      if (!this.#plain.has(parent) && !this.#checkDir(parent)) return
    }
  }

  /** Inside a home nothing is cached: its owner may have changed it a moment ago. */
  #checkDir(dir: string): boolean {
    const stats = lstatSync(`${this.root}/${dir}`, { throwIfNoEntry: false })
    if (!stats) return false
    if (!stats.isDirectory()) throw new HostError('stage', `${dir} is not a directory; refusing to go through it.`)
    if (!dir.startsWith('home/')) this.#plain.add(dir)
    return true
  }
}

/** In a home, a link is its owner's. */
const mayReplace = (stats: Stats, path: string): boolean => stats.isSymbolicLink() && !isInHome(path)

function readPlain(absolute: string, path: string): TreeEntry | undefined {
  const fd = openPlain(absolute, path)
  if (fd === undefined) return undefined
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new HostError('stage', `${path} is not a regular file; refusing to replace it.`)
    const { uid, gid } = stats
    return { content: readFileSync(fd, 'utf8'), mode: stats.mode & 0o7777, uid, gid }
  } finally {
    closeSync(fd)
  }
}

function openPlain(absolute: string, path: string): number | undefined {
  try {
    return openSync(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') throw new HostError('stage', `${path} is a symbolic link; refusing to replace it.`)
    throw error
  }
}
