import { existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { trashDir } from '../home.ts'
import { flushDirs } from './disk.ts'

const former = 'var/lib/panel'
const present = 'var/lib/panel-host'

/** Gives the trash of a host made by an older version the place that it has now. */
export async function adoptTrash(root: string): Promise<void> {
  const [from, to] = [join(root, 'trash'), join(root, trashDir)]
  if (existsSync(to) || !existsSync(from)) return
  renameSync(from, to)
  await flushDirs([root, dirname(to)])
}

/** Gives the panel's own records on a host made by an older version the place that they have now. */
export async function adoptRecords(root: string): Promise<void> {
  const [from, to] = [join(root, former), join(root, present)]
  if (existsSync(to) || !existsSync(from)) return
  renameSync(from, to)
  await flushDirs([join(root, 'var/lib')])
}
