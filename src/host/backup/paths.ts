import { partsOf } from '../homes/archive/unpack.ts'
import { type Directory, holding } from '../homes/home/directory.ts'
import { makeParents } from '../homes/home/walk.ts'

export type Path = readonly Buffer[]

const slash = Buffer.from('/')

/** Encodes a path relative to a home in base64. */
export const encode = (path: Path): string =>
  Buffer.concat(path.flatMap((part, at) => (at ? [slash, part] : [part]))).toString('base64')

export const decode = (path: string): Buffer[] => partsOf(Buffer.from(path, 'base64'))

/** The staging directories for new parts and for those they replace. */
export const fresh = Buffer.from('new')
export const former = Buffer.from('old')

/** Opens the parent directory of a path, creating missing levels; refuses symlinks on the way. */
export const pathTo = async (home: Directory, path: Path): Promise<Directory> =>
  makeParents({ directory: home, uid: (await home.stat()).uid }, path.slice(0, -1))

/** Opens the parent directory of a path, if it is reached through directories only. */
export async function parentOf(from: Directory, path: Path): Promise<Directory | undefined> {
  let current = await from.again()
  for (const part of path.slice(0, -1)) {
    const above = current
    try {
      if (!(await above.find(part))?.isDirectory()) return undefined
      current = await above.down(part)
    } finally {
      await above.close()
    }
  }
  return current
}

export async function isThere(from: Directory, path: Path): Promise<boolean> {
  const parent = await parentOf(from, path)
  if (!parent) return false
  return holding(Promise.resolve(parent), async (above) => (await above.find(path.at(-1)!)) !== undefined)
}
