import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { MachineFacts } from '../contract/facts.ts'
import { renderedServer } from '../parts/render.ts'
import { isOfNameServer, type ServerState, serverFilesOf } from '../parts/server/index.ts'
import { systemFile } from '../parts/spec.ts'
import { makeDir } from './disk.ts'
import { journalDir } from './journal.ts'
import { manifestFolder, pathsIn } from './manifest.ts'
import { type Plan, PlanBuilder } from './plan.ts'
import type { Tree } from './tree.ts'

/** The transaction key of the server's own state. */
export const serverKey = 'server'

const serverManifest = `${manifestFolder}/server.json`

/** The server's own state, as the store has it, and its machine. */
export interface DesiredServer {
  readonly state: ServerState
  readonly facts?: MachineFacts | undefined
}

/** Plans the server's own files: the fixed ones, and, if a state is given, those that follow from it. */
export function planServer(tree: Tree, request?: DesiredServer): Plan {
  const builder = new PlanBuilder(tree)
  const { dirs, files } = renderedServer
  for (const dir of dirs) builder.dir(dir)
  for (const file of files) builder.file(file)
  if (request) planNames(builder, tree, request)
  return builder.build(serverKey)
}

/** Removes what was written for the server before and is no longer wanted. */
function planNames(builder: PlanBuilder, tree: Tree, { state, facts }: DesiredServer): void {
  const files = serverFilesOf(state, facts)
  const paths = files.map(({ path }) => path)
  for (const file of files) builder.file(file)
  const former = pathsIn(tree, serverManifest).filter((path) => !paths.includes(path))
  const left = former.filter((path) => state.namesOnly && isOfNameServer(path))
  for (const path of former) if (!left.includes(path)) builder.gone(path, () => true)
  builder.file(systemFile(serverManifest, 0o600, [JSON.stringify([...paths, ...left])]))
}

/** Creates the journals' directory: the one thing that no journal can cover. */
export function makeJournalDir(root: string): void {
  mkdirSync(root, { recursive: true })
  const parts = journalDir.split('/')
  for (let depth = 1; depth < parts.length; depth++) makeDir(join(root, ...parts.slice(0, depth)), 0o755)
  makeDir(join(root, journalDir), 0o700)
}
