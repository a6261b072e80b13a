import { existsSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Free space on the disk of the homes, in megabytes; undefined if the system does not say. */
export function roomBelow(root: string): number | undefined {
  const homes = join(root, 'home')
  try {
    const { bavail, bsize } = statfsSync(existsSync(homes) ? homes : root)
    return Math.floor((bavail * bsize) / 2 ** 20)
  } catch {
    return undefined
  }
}
