import { existsSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Free room of the disk that homes lie on, in megabytes; nothing where the system does not say. */
export function roomBelow(root: string): number | undefined {
  const homes = join(root, 'home')
  try {
    const { bavail, bsize } = statfsSync(existsSync(homes) ? homes : root)
    return Math.floor((bavail * bsize) / 2 ** 20)
  } catch {
    return undefined
  }
}
