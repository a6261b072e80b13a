import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Difference } from '../driver.ts'
import { manifestFolder } from '../install/manifest.ts'
import { mailMaps } from '../parts/mail/maps.ts'
import { primaryPaths } from '../parts/server/primary.ts'

/** Folders of panel's from which each file is read, by daemons or by the agent; sites have rules of their own. */
const readWhole: readonly { readonly folder: string; readonly end?: string }[] = [
  { folder: 'etc/panel/nginx/server', end: '.conf' },
  { folder: 'etc/bind/panel/zones.d' },
  { folder: 'etc/panel/ftp/passwd.d' },
  { folder: 'etc/panel/mail/passwd.d' },
  ...mailMaps.map((map) => ({ folder: `etc/panel/mail/${map}.d` })),
  { folder: 'etc/panel/ssh/keys' },
  { folder: 'etc/panel/php', end: '.conf' },
  { folder: 'etc/panel/apps', end: '.json' },
]

/** What no account has, and `panel host setup` begins there. */
const begun = 'etc/bind/panel/zones.d/_none'

export interface KnownFiles {
  readonly files: ReadonlySet<string>
  /** Manifests of which nothing is known. */
  readonly unreadable: readonly string[]
}

/** What all accounts have, and what belongs to the server and not to an account. */
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

/** Files that would be taken for an account's, and are none's. */
export function foreignFileDifferences(root = '/'): Difference[] {
  const { files, unreadable } = knownFiles(root)
  if (unreadable.length > 0) return []
  return readWhole
    .flatMap(({ folder, end = '' }) => filesIn(root, folder, end))
    .filter((path) => !files.has(path))
    .map((path) => ({ path: `/${path}`, change: 'surplus', note: 'no account has this file: take it away by hand' }))
}

/** What is being written has a dot before its name. */
export const filesIn = (root: string, folder: string, end: string): string[] =>
  namesIn(join(root, folder))
    .filter((name) => name.endsWith(end))
    .map((name) => `${folder}/${name}`)

const namesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []

type ManifestOf = readonly string[] | { readonly files?: Readonly<Record<string, readonly string[]>> }

/** That of an account names files by part, that of the server is a list of them. */
function filesOf(path: string): string[] | undefined {
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as ManifestOf
    return 'length' in manifest ? [...manifest] : Object.values(manifest.files ?? {}).flat()
  } catch {
    return undefined
  }
}
