import { closeSync, constants, openSync, renameSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Opens an entry without read permission; Linux's value. */
const O_PATH = 0o10000000
const directory = O_PATH | constants.O_DIRECTORY

const below = (fd: number, name: string): string => `/proc/self/fd/${fd}/${name}`

/** Opens a directory below a root segment by segment: never follows a symlink put in place of one. */
function hold(root: string, path: string): number {
  let current = openSync(root, directory)
  for (const name of path === '.' ? [] : path.split('/')) {
    const above = current
    try {
      current = openSync(below(above, name), directory | constants.O_NOFOLLOW)
    } finally {
      closeSync(above)
    }
  }
  return current
}

function holding<T>(root: string, path: string, act: (fd: number) => T): T {
  const fd = hold(root, path)
  try {
    return act(fd)
  } finally {
    closeSync(fd)
  }
}

/** Moves the entry itself, even if a tenant swaps a directory on the way to it. */
export const renameAt = (root: string, from: string, to: string): void =>
  holding(root, dirname(from), (source) =>
    holding(root, dirname(to), (target) => renameSync(below(source, basename(from)), below(target, basename(to)))),
  )
