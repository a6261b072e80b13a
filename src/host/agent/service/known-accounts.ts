import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HostAccount } from '../../contract/commands/state.ts'
import { manifestFolder, readManifest } from '../../install/manifest.ts'
import { Tree } from '../../install/tree.ts'

const ending = '.json'

/** The accounts on this host, by id; if asked for by id, with their names and user ids. */
export function accountsOnHost(root: string, ids: readonly string[] | undefined): HostAccount[] {
  if (!ids) return namesIn(join(root, manifestFolder)).map((name) => ({ id: name.slice(0, -ending.length) }))
  const tree = new Tree(root)
  return ids.flatMap((id) => {
    const manifest = readManifest(tree, id)
    return manifest ? [{ id, username: manifest.username, uid: manifest.uid }] : []
  })
}

/** Empty if no account was ever applied; a file being written has another name. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9A-Z]{26}\.json$/.test(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
