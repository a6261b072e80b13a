import type { AccountName } from '../account.ts'
import type { Tree } from './tree.ts'

/** What the panel wrote for an account: the only files it may ever take away. */
export interface Manifest {
  readonly id: string
  readonly username: string
  readonly uid: number
  readonly mainDomain: string
  /** The domain that the inside of the home is still named after, until its change has reached that too. */
  readonly homeDomain?: string | undefined
  /** By part, also one that a newer panel had and this one does not know. */
  readonly files: Readonly<Record<string, readonly string[]>>
}

export const manifestFolder = 'var/lib/panel-host/manifest'

/** Where an account's manifest is kept. By id: an account keeps it when it is renamed. */
export const manifestPath = (id: string) => `${manifestFolder}/${id}.json`

/** The manifest of an account, or undefined before its first apply. */
export function readManifest(tree: Tree, id: string): Manifest | undefined {
  const found = tree.read(manifestPath(id))
  if (!found) return undefined
  try {
    const manifest: Manifest = JSON.parse(found.content)
    return manifest.id === id ? manifest : undefined
  } catch {
    // Lost to a bad disk: the next apply writes it again, and leaves alone what it no longer knows.
    return undefined
  }
}

/** Whether the account has kept the names that its files are named after. */
export function sameNames(manifest: Manifest | undefined, account: AccountName): boolean {
  return manifest?.username === account.username && manifest.mainDomain === account.mainDomain
}

/** A manifest as it is written. */
export const manifestContent = (manifest: Manifest) => `${JSON.stringify(manifest)}\n`

/** The files of both. */
export function unionOf(one: Manifest['files'] = {}, other: Manifest['files'] = {}): Manifest['files'] {
  const areas = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return Object.fromEntries(areas.map((area) => [area, [...new Set([...(one[area] ?? []), ...(other[area] ?? [])])]]))
}

/** A list of paths as it was written. */
export function pathsIn(tree: Tree, list: string): readonly string[] {
  try {
    return JSON.parse(tree.read(list)?.content ?? '[]')
  } catch {
    // Lost to a bad disk: what it named is left alone.
    return []
  }
}
