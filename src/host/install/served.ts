import { zoneFiles } from '../parts/dns/index.ts'
import type { ServedZones } from '../parts/dns/state.ts'
import { type Primary, primaryFiles, primaryPaths } from '../parts/server/primary.ts'
import { ownerOf, systemFile } from '../parts/spec.ts'
import { manifestFolder, pathsIn } from './manifest.ts'
import { type Plan, PlanBuilder } from './plan.ts'
import type { Tree } from './tree.ts'

/** The transaction key of zones beyond those of this host's accounts. */
export const servedKey = 'zones'
export const primaryKey = 'primary'

const listOf = (id: string): string => `${manifestFolder}/zones-${id}.json`

/** Plans the zones of accounts on other hosts. The name server's other zones are untouched. */
export function planServed(tree: Tree, served: readonly ServedZones[]): Plan {
  const builder = new PlanBuilder(tree)
  for (const one of served) planOwner(builder, tree, one)
  return builder.build(servedKey)
}

function planOwner(builder: PlanBuilder, tree: Tree, { id, zones }: ServedZones): void {
  const { dirs, files } = zoneFiles({ id, username: `_elsewhere_${id}` }, zones)
  for (const dir of dirs) builder.dir(dir)
  for (const file of files) builder.file(file)
  const paths = files.map(({ path }) => path)
  // A domain's file may by now belong to its new owner.
  const own = (content: string) => (ownerOf(content) ?? id) === id
  for (const path of pathsIn(tree, listOf(id))) if (!paths.includes(path)) builder.gone(path, own)
  if (paths.length > 0) builder.file(systemFile(listOf(id), 0o600, [JSON.stringify(paths)]))
  else builder.gone(listOf(id), () => true)
}

/** Plans how to make the name server replicate a primary's zones, or none. */
export function planPrimary(tree: Tree, primary: Primary | undefined): Plan {
  const builder = new PlanBuilder(tree)
  const files = primaryFiles(primary)
  for (const file of files) builder.file(file)
  for (const path of primaryPaths) if (!files.some((file) => file.path === path)) builder.gone(path, () => true)
  return builder.build(primaryKey)
}
