import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { HostError } from '../driver.ts'

const part = /^[A-Za-z0-9._-]+$/

function checkPath(path: string): void {
  const parts = path.split('/')
  const odd = parts.some((name) => name === '.' || name === '..' || !part.test(name))
  if (odd) throw new HostError('stage', 'A path to write is not one that the panel makes.')
}

/** A file as found on the disk. */
export interface Found {
  readonly content: string
  readonly mode: number
}

/** The file system below a root, as seen by one transaction. No symbolic link in it is ever followed. */
export interface Tree {
  readonly root: string
  /** Where a path is, having made sure that no directory on the way to it is a link. */
  at(path: string): string
  /** What is at a path itself: links are not followed. */
  stat(path: string): Stats | undefined
  /** The regular file at a path; a link, or anything else there, is an error. */
  read(path: string): Found | undefined
  /** Whether no link is on the way. */
  isReachable(path: string): boolean
  /** Whether a real directory is there, reached by real directories only. */
  isPlainDir(path: string): boolean
}

/** Opens the view of one transaction: it looks at each directory once. */
export function openTree(root: string): Tree {
  const plain = new Set<string>()

  function checkParents(path: string): void {
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
      const parent = path.slice(0, end)
      if (!plain.has(parent) && !isDirOrMissing(parent)) return
      plain.add(parent)
    }
  }

  function isDirOrMissing(parent: string): boolean {
    const stats = lstatSync(join(root, parent), { throwIfNoEntry: false })
    if (stats && !stats.isDirectory())
      throw new HostError('stage', `${parent} is not a directory; refusing to go through it.`)
    return stats !== undefined
  }

  function at(path: string): string {
    checkPath(path)
    checkParents(path)
    return `${root}/${path}`
  }

  const stat = (path: string) => lstatSync(at(path), { throwIfNoEntry: false })

  function isReachable(path: string): boolean {
    try {
      at(path)
      return true
    } catch (error) {
      if (error instanceof HostError) return false
      throw error
    }
  }

  const isPlainDir = (path: string) => isReachable(path) && (stat(path)?.isDirectory() ?? false)

  return { root, at, stat, isReachable, isPlainDir, read: (path) => readPlain(at(path), path) }
}

function readPlain(absolute: string, path: string): Found | undefined {
  const fd = openPlain(absolute, path)
  if (fd === undefined) return undefined
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new HostError('stage', `${path} is not a regular file; refusing to replace it.`)
    return { content: readFileSync(fd, 'utf8'), mode: stats.mode & 0o7777 }
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
