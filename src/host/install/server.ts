import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { renderedServer } from '../render.ts'
import { makeDir } from './disk.ts'
import { journalDir } from './journal.ts'
import { type Plan, PlanBuilder } from './plan.ts'
import type { Tree } from './tree.ts'

/** The key of the transaction for what no account owns. */
export const serverKey = 'server'

/** Works out what no account owns. */
export function planServer(tree: Tree): Plan {
  const builder = new PlanBuilder(tree)
  const { dirs, files } = renderedServer
  for (const dir of dirs) builder.dir(dir)
  for (const file of files) builder.file(file)
  return builder.build(serverKey)
}

/** Makes the place for journals: the one thing that no journal can cover. */
export function makeJournalDir(root: string): void {
  mkdirSync(root, { recursive: true })
  const parts = journalDir.split('/')
  for (let depth = 1; depth < parts.length; depth++) makeDir(join(root, ...parts.slice(0, depth)), 0o755)
  makeDir(join(root, journalDir), 0o700)
}
