import { existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { trashDir } from '../homes/home-paths.ts'
import { flushDirs } from './disk.ts'

const former = 'var/lib/panel'
const present = 'var/lib/panel-host'

/** Moves the trash of a host set up by an older version to its current path. */
export async function adoptTrash(root: string): Promise<void> {
  const [from, to] = [join(root, 'trash'), join(root, trashDir)]
  if (existsSync(to) || !existsSync(from)) return
  renameSync(from, to)
  await flushDirs([root, dirname(to)])
}

/** Moves the panel's own records of a host set up by an older version to their current path. */
export async function adoptRecords(root: string): Promise<void> {
  const [from, to] = [join(root, former), join(root, present)]
  if (existsSync(to) || !existsSync(from)) return
  renameSync(from, to)
  await flushDirs([join(root, 'var/lib')])
}
