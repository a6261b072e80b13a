import type { AccountName } from '../contract/account.ts'
import type { Tree } from './tree.ts'

/** What the panel wrote for an account: the only files it may ever remove. */
export interface Manifest {
  readonly id: string
  readonly username: string
  readonly uid: number
  readonly mainDomain: string
  /** The domain that the home's content is still named after, until a change has reached it, too. */
  readonly homeDomain?: string | undefined
  /** By part, including parts from a newer panel that this one does not know. */
  readonly files: Readonly<Record<string, readonly string[]>>
}

export const manifestFolder = 'var/lib/panel-host/manifest'

/** The path of an account's manifest. It is named by id, which a rename does not change. */
export const manifestPath = (id: string) => `${manifestFolder}/${id}.json`

/** An account's manifest; undefined before its first apply. */
export function readManifest(tree: Tree, id: string): Manifest | undefined {
  const found = tree.read(manifestPath(id))
  if (!found) return undefined
  try {
    const manifest: Manifest = JSON.parse(found.content)
    return manifest.id === id ? manifest : undefined
  } catch {
    // Corrupt: the next apply rewrites it, and leaves files that are no longer listed alone.
    return undefined
  }
}

/** Whether the names that the account's files are named after are unchanged. */
export function sameNames(manifest: Manifest | undefined, account: AccountName): boolean {
  return manifest?.username === account.username && manifest.mainDomain === account.mainDomain
}

export const manifestContent = (manifest: Manifest) => `${JSON.stringify(manifest)}\n`

/** The files of both. */
export function unionOf(one: Manifest['files'] = {}, other: Manifest['files'] = {}): Manifest['files'] {
  const areas = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return Object.fromEntries(areas.map((area) => [area, [...new Set([...(one[area] ?? []), ...(other[area] ?? [])])]]))
}

/** The paths in a stored list. */
export function pathsIn(tree: Tree, list: string): readonly string[] {
  try {
    return JSON.parse(tree.read(list)?.content ?? '[]')
  } catch {
    // Corrupt: what it listed is left alone.
    return []
  }
}
