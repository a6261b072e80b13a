import type { AccountCore } from '../../contract/account.ts'
import { homeOf } from '../../homes/home-paths.ts'
import { type DirSpec, homeDir } from '../spec.ts'
import type { Site } from './state.ts'

/** An app's current release: the symlink is the panel's own, and its target belongs to the release. */
const ofRelease = /^apps\/[^/]+\/current(?:\/|$)/
export const isOfRelease = (root: string): boolean => ofRelease.test(root)

/** The sites' document roots in the home, without duplicates; deploys create those of releases. */
const rootsOf = (sites: readonly Site[]): string[] => [
  ...new Set(sites.map(({ documentRoot }) => documentRoot).filter((root) => !isOfRelease(root))),
]

/** A directory and its parents; `apps` itself exists in every home. */
function down(root: string): string[] {
  const parts = root.split('/')
  return parts.map((_, n) => parts.slice(0, n + 1).join('/')).filter((path) => path !== 'apps')
}

export function rootDirs(core: AccountCore, sites: readonly Site[]): DirSpec[] {
  const paths = new Set(['sites', ...rootsOf(sites).flatMap(down)])
  return [...paths].map((path) => homeDir(core, `${homeOf(core.username)}/${path}`, 0o755))
}
