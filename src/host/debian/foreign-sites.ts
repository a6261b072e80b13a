import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Difference } from '../driver.ts'
import { manifestFolder } from '../install/manifest.ts'
import { ownerOf } from '../spec.ts'
import { textOf } from './fragments.ts'
import { aside, sitesFolder } from './sites.ts'

/** How virtual hosts that nginx would read, and that no account has, differ from what there should be. */
export function foreignSiteDifferences(root = '/'): Difference[] {
  const { unreadable, files } = known(root)
  if (unreadable.length > 0) return unreadable.map(faultOf)
  return sites(root)
    .filter((path) => !files.has(path))
    .map((path) => ({ path: `/${path}`, change: 'surplus', note: 'no account has this site' }))
}

/** Keeps them, where nginx does not read them, and says so; one of an account whose manifest was lost serves on. */
export function setForeignSitesAside(root = '/'): string[] {
  const { unreadable, files } = known(root)
  if (unreadable.length > 0) return []
  const found = sites(root).filter((path) => !files.has(path) && !wasWrittenFor(root, path))
  for (const path of found) {
    renameSync(join(root, path), join(root, `${path}${aside}`))
    process.stderr.write(`warning: /${path} was set aside as ${path.split('/').at(-1)}${aside}: no account has it\n`)
  }
  return found
}

const faultOf = (name: string): Difference => ({
  path: `/${manifestFolder}/${name}`,
  change: 'fault',
  note: 'it cannot be read, so it is not known which sites are foreign; apply its account',
})

const sites = (root: string): string[] =>
  namesIn(join(root, sitesFolder))
    .filter((name) => name.endsWith('.conf'))
    .map((name) => `${sitesFolder}/${name}`)

const wasWrittenFor = (root: string, path: string): boolean => ownerOf(textOf(join(root, path)) ?? '') !== undefined

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** What all accounts have, and the manifests of which nothing is known. */
function known(root: string): { files: ReadonlySet<string>; unreadable: readonly string[] } {
  const files = new Set<string>()
  const unreadable: string[] = []
  for (const name of namesIn(join(root, manifestFolder)).filter((one) => !one.startsWith('.'))) {
    const found = filesOf(join(root, manifestFolder, name))
    if (found === undefined) unreadable.push(name)
    for (const path of found ?? []) files.add(path)
  }
  return { files, unreadable }
}

function filesOf(path: string): string[] | undefined {
  try {
    const { files = {} } = JSON.parse(readFileSync(path, 'utf8')) as { files?: Record<string, readonly string[]> }
    return Object.values(files).flat()
  } catch {
    return undefined
  }
}
