import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { HostError } from '../contract/error.ts'
import { type Directory, holding } from '../homes/home/directory.ts'
import { homeOf } from '../homes/home-paths.ts'
import type { AppFile } from '../parts/apps.ts'
import { runMarkOf } from '../tenant/mark.ts'
import { downTo } from './defaults.ts'
import { nameOf, Releases } from './releases.ts'

/** An app with the release to run. */
export type Runnable = AppFile & { readonly release: number; readonly start: string }

export const pathOf = (root: string, { username, name, release, root: below }: Runnable): string =>
  join(root, homeOf(username), 'apps', name, 'releases', String(release), below)

/** A release's working directory, held open: no symlink on the way is followed. */
export async function openPlace(root: string, app: Runnable): Promise<Directory> {
  const releases = await Releases.open(join(root, homeOf(app.username)), app.name)
  try {
    if (!(await releases.has(app.release)))
      throw new HostError('stage', `The files of release ${app.release} are missing.`)
    const found = await holding(releases.down(nameOf(app.release)), (release) => downTo(release, app.root))
    if (found) return found
    throw new HostError('stage', `The directory ${app.root} is missing in release ${app.release}.`)
  } finally {
    await releases.close()
  }
}

/** Marks of an app's processes; none is a prefix of another. */
export const appMark = (root: string, account: string, app: string): string =>
  runMarkOf(root, account, `${app}/${randomBytes(6).toString('hex')}`)

/** A virtual environment's scripts contain its path: rewrites them after a move. */
const followsPlace =
  'if [ -f .venv/.panel-path ]; then p=$(cat .venv/.panel-path); if [ "$p" != "$PWD" ]; then ' +
  'find .venv/bin -type f -exec sed -i "s|$p|$PWD|g" {} + && printf %s "$PWD" > .venv/.panel-path; fi; fi; '

/** In a release that needs another version of Node.js than the host's: the directory of its programs. */
export const toolchainFile = '.panel-toolchain'

const usesToolchain = `if [ -f ${toolchainFile} ]; then PATH="$(cat ${toolchainFile}):$PATH"; export PATH; fi; `

/** What the shell does in a release before it starts it. */
export const beforeStart = (kind: AppFile['kind']): string =>
  kind === 'python' ? followsPlace : kind === 'node' ? usesToolchain : ''

/** A release's own programs come first. */
export function programsOf(kind: AppFile['kind'], cwd: string, { PATH }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return kind === 'python' ? { PATH: `${cwd}/.venv/bin:${PATH}` } : {}
}
