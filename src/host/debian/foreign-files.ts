import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Difference } from '../contract/driver.ts'
import { manifestFolder } from '../install/manifest.ts'
import { mailMaps } from '../parts/mail/maps.ts'
import { primaryPaths } from '../parts/server/primary.ts'

/** panel's folders whose every file is read by daemons or the agent; sites have their own rules. */
const readComplete: readonly { readonly folder: string; readonly end?: string }[] = [
  { folder: 'etc/panel/nginx/server', end: '.conf' },
  { folder: 'etc/bind/panel/zones.d' },
  { folder: 'etc/panel/ftp/passwd.d' },
  { folder: 'etc/panel/mail/passwd.d' },
  ...mailMaps.map((map) => ({ folder: `etc/panel/mail/${map}.d` })),
  { folder: 'etc/panel/ssh/keys' },
  { folder: 'etc/panel/php', end: '.conf' },
  { folder: 'etc/panel/apps', end: '.json' },
]

/** Belongs to no account; `panel host setup` creates it. */
const begun = 'etc/bind/panel/zones.d/_none'

export interface KnownFiles {
  readonly files: ReadonlySet<string>
  /** Manifests that cannot be read. */
  readonly unreadable: readonly string[]
}

/** The files of all accounts, and those of the server itself. */
export function knownFiles(root: string): KnownFiles {
  const files = new Set([begun, ...primaryPaths])
  const unreadable: string[] = []
  for (const name of namesIn(join(root, manifestFolder))) {
    const found = filesOf(join(root, manifestFolder, name))
    if (found === undefined) unreadable.push(name)
    for (const path of found ?? []) files.add(path)
  }
  return { files, unreadable }
}

/** Files that would be taken for an account's, but belong to none. */
export function foreignFileDifferences(root = '/'): Difference[] {
  const { files, unreadable } = knownFiles(root)
  if (unreadable.length > 0) return []
  return readComplete
    .flatMap(({ folder, end = '' }) => filesIn(root, folder, end))
    .filter((path) => !files.has(path))
    .map((path) => ({ path: `/${path}`, change: 'surplus', note: 'no account has this file: take it away by hand' }))
}

/** Files being written have a leading dot. */
export const filesIn = (root: string, folder: string, end: string): string[] =>
  namesIn(join(root, folder))
    .filter((name) => name.endsWith(end))
    .map((name) => `${folder}/${name}`)

const namesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []

type ManifestOf = readonly string[] | { readonly files?: Readonly<Record<string, readonly string[]>> }

/** An account's manifest lists files by part, the server's is a flat list. */
function filesOf(path: string): string[] | undefined {
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as ManifestOf
    return 'length' in manifest ? [...manifest] : Object.values(manifest.files ?? {}).flat()
  } catch {
    return undefined
  }
}
