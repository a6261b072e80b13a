import { partsOf } from '../archive/unpack.ts'
import type { Directory } from '../home/directory.ts'
import { makeWay } from '../home/walk.ts'

export type Path = readonly Buffer[]

const slash = Buffer.from('/')

/** A path below a home as it is told: in base64. */
export const encode = (path: Path): string =>
  Buffer.concat(path.flatMap((part, at) => (at ? [slash, part] : [part]))).toString('base64')

export const decode = (path: string): Buffer[] => partsOf(Buffer.from(path, 'base64'))

/** Where a part is unpacked before it takes its place, and where what it replaces waits. */
export const fresh = Buffer.from('new')
export const former = Buffer.from('old')

/** The directory that a path is to lie in, made where it is missing; a link on the way is refused. */
export const wayTo = async (home: Directory, path: Path): Promise<Directory> =>
  makeWay({ directory: home, uid: (await home.stat()).uid }, path.slice(0, -1))

export async function isThere(from: Directory, path: Path): Promise<boolean> {
  let here = await from.again()
  try {
    for (const part of path.slice(0, -1)) {
      if (!(await here.find(part))?.isDirectory()) return false
      const above = here
      here = await above.down(part).finally(() => above.close())
    }
    return (await here.find(path.at(-1)!)) !== undefined
  } finally {
    await here.close()
  }
}
