import { type Directory, holding } from '../homes/home/directory.ts'
import { measure } from '../measure/walk.ts'
import type { Staging, UsedSpace } from './home.ts'
import { isLeftOut } from './pack.ts'
import { decode, type Path, parentOf } from './paths.ts'

/**
 * What a restore removes from a home in the end, and what an earlier attempt left in its staging directory: until then
 * the home needs this much more room.
 */
export async function replaced(home: Directory, staging: Staging, signal?: AbortSignal): Promise<UsedSpace> {
  const sum = { bytes: 0, inodes: 0 }
  for (const path of [[Buffer.from(staging.name)], ...(await targets(home, staging))]) {
    const { bytes, inodes } = await sizeOf(home, path, signal)
    sum.bytes += bytes
    sum.inodes += inodes
  }
  return sum
}

async function targets(home: Directory, { part, paths, to }: Staging): Promise<Path[]> {
  const below = to === undefined ? [] : decode(to)
  if (paths) return paths.map((path) => [...below, ...decode(path)])
  if (to !== undefined) return []
  if (part === 'mail') return [[Buffer.from('mail')]]
  const names: Path[] = []
  for await (const name of home.names()) if (!isLeftOut([name])) names.push([name])
  return names
}

const BLOCK_BYTES = 512n

async function sizeOf(home: Directory, path: Path, signal: AbortSignal | undefined): Promise<UsedSpace> {
  const parent = await parentOf(home, path)
  if (!parent) return { bytes: 0, inodes: 0 }
  return holding(Promise.resolve(parent), async (above) => {
    const name = path.at(-1)!
    const stats = await above.find(name)
    if (!stats?.isDirectory()) return { bytes: Number((stats?.blocks ?? 0n) * BLOCK_BYTES), inodes: stats ? 1 : 0 }
    // A trailing dot: measuring follows no link, and the descriptor's path is one.
    return holding(above.down(name), ({ fd }) => measure(`/proc/self/fd/${fd}/.`, undefined, signal))
  })
}
