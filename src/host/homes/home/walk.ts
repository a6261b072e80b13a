import type { FailPoint } from '../../install/engine.ts'
import type { Directory } from './directory.ts'
import { withFileErrors } from './error.ts'
import { checkName, type Parts, wrong } from './path.ts'

/** A home that is held open, with its owner. */
export interface Home {
  readonly directory: Directory
  readonly uid: bigint
  readonly onFailPoint?: FailPoint | undefined
}

/** Opens the directory at a path segment by segment, each from the one above; refuses symlinks on the way. */
export async function descend(home: Home, parts: Parts, field = 'path'): Promise<Directory> {
  let directory = await home.directory.again()
  for (const [at, part] of parts.entries()) {
    const above = directory
    try {
      directory = await withFileErrors(() => step(above, part, field), field, parts.slice(0, at + 1))
    } finally {
      await above.close()
    }
  }
  return directory
}

async function step(above: Directory, part: Buffer, field: string): Promise<Directory> {
  try {
    return await above.down(part)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error
    if ((await above.find(part))?.isSymbolicLink()) throw wrong(field, 'leads through a link, which is not followed')
    throw error
  }
}

/** An entry of an open directory: what a path resolves to. */
export interface ParentEntry {
  readonly parent: Directory
  readonly name: Buffer
  readonly parts: Parts
}

/** Acts on a path whose last segment need not exist. */
export async function atPath<T>(
  home: Home,
  parts: Parts,
  act: (place: ParentEntry) => Promise<T>,
  field = 'path',
): Promise<T> {
  const name = parts.at(-1)
  if (!name) throw wrong(field, 'must name something below the home')
  checkName(name, field)
  const parent = await descend(home, parts.slice(0, -1), field)
  try {
    return await withFileErrors(() => act({ parent, name, parts }), field, parts)
  } finally {
    await parent.close()
  }
}

/** Like `descend`, but creates what is missing. */
export async function makeParents(home: Home, parts: Parts, mode = 0o755, field = 'path'): Promise<Directory> {
  let directory = await home.directory.again()
  for (const part of parts) {
    const above = directory
    try {
      directory = await withFileErrors(async () => {
        if (!(await above.find(part))) await above.makeDirectory(part, mode).catch(unlessThere)
        return step(above, part, field)
      }, field)
    } finally {
      await above.close()
    }
  }
  return directory
}

export function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
