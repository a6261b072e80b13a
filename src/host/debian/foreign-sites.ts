import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Difference } from '../contract/driver.ts'
import { manifestFolder } from '../install/manifest.ts'
import { ownerOf } from '../parts/spec.ts'
import { filesIn, knownFiles } from './foreign-files.ts'
import { textOf } from './fragments.ts'
import { disabled, sitesFolder } from './sites.ts'

/** Virtual hosts that nginx would read, but that belong to no account. */
export function foreignSiteDifferences(root = '/'): Difference[] {
  const { unreadable, files } = knownFiles(root)
  if (unreadable.length > 0) return unreadable.map(problemOf)
  return sites(root)
    .filter((path) => !files.has(path))
    .map((path) => ({ path: `/${path}`, change: 'surplus', note: 'no account has this site' }))
}

/** Moves them to where nginx does not read them, and says so; sites of an account whose manifest was lost stay. */
export function disableForeignSites(root = '/'): string[] {
  const { unreadable, files } = knownFiles(root)
  if (unreadable.length > 0) return []
  const found = sites(root).filter((path) => !files.has(path) && !wasWrittenFor(root, path))
  for (const path of found) {
    renameSync(join(root, path), join(root, `${path}${disabled}`))
    process.stderr.write(`warning: /${path} was set aside as ${path.split('/').at(-1)}${disabled}: no account has it\n`)
  }
  return found
}

const problemOf = (name: string): Difference => ({
  path: `/${manifestFolder}/${name}`,
  change: 'fault',
  note: 'it cannot be read, so it is not known which sites are foreign; apply its account',
})

const sites = (root: string): string[] => filesIn(root, sitesFolder, '.conf')

const wasWrittenFor = (root: string, path: string): boolean => ownerOf(textOf(join(root, path)) ?? '') !== undefined
