import { join } from 'node:path'
import { HostError } from '../contract/error.ts'
import { Directory, holding } from '../homes/home/directory.ts'
import { removeAll } from '../homes/home/remove.ts'
import { makeParents } from '../homes/home/walk.ts'
import { homeOf } from '../homes/home-paths.ts'
import { hasRoot } from './defaults.ts'

const releasesName = Buffer.from('releases')
const currentName = Buffer.from('current')
const staged = Buffer.from('.current.panel-new')
const ofRelease = /^(\d+)(?:\.partial)?$/

export const nameOf = (release: number): Buffer => Buffer.from(String(release))
export const partialOf = (release: number): Buffer => Buffer.from(`${release}.partial`)

/** An app's directory in a home, held open: its releases, and which one is current. */
export class Releases {
  readonly #app: Directory
  readonly #all: Directory

  private constructor(app: Directory, all: Directory) {
    this.#app = app
    this.#all = all
  }

  /** Created if missing; symlinks on the way are refused. */
  static async open(home: string, app: string): Promise<Releases> {
    return holding(Directory.at(home), async (directory) => {
      const own = await makeParents({ directory, uid: 0n }, [Buffer.from('apps'), Buffer.from(app)])
      try {
        return new Releases(own, await makeParents({ directory: own, uid: 0n }, [releasesName]))
      } catch (error) {
        await own.close()
        throw error
      }
    })
  }

  async close(): Promise<void> {
    await this.#all.close()
    await this.#app.close()
  }

  async has(release: number): Promise<boolean> {
    return (await this.#all.find(nameOf(release)))?.isDirectory() ?? false
  }

  down(name: Buffer): Promise<Directory> {
    return this.#all.down(name)
  }

  /** An empty directory for a release being built. */
  async begin(release: number): Promise<Directory> {
    await this.remove(release)
    await this.#all.makeDirectory(partialOf(release), 0o755)
    return this.#all.down(partialOf(release))
  }

  /** Renames a complete release to its final name. */
  async finish(release: number): Promise<void> {
    await this.#all.rename(partialOf(release), this.#all, nameOf(release))
    await this.#all.flush()
  }

  async remove(release: number): Promise<void> {
    for (const name of [partialOf(release), nameOf(release)]) await removeAll(this.#all, name)
  }

  /** Removes releases except those to keep; other entries stay. */
  async prune(isRetained: (release: number) => boolean): Promise<void> {
    for await (const name of this.#all.names()) {
      const release = ofRelease.exec(name.toString('latin1'))?.[1]
      if (release !== undefined && !isRetained(Number(release))) await removeAll(this.#all, name)
    }
  }

  async current(): Promise<number | undefined> {
    if (!(await this.#app.find(currentName))?.isSymbolicLink()) return undefined
    const target = (await this.#app.readlink(currentName)).toString('latin1')
    const release = /^releases\/(\d+)$/.exec(target)?.[1]
    return release === undefined ? undefined : Number(release)
  }

  /** Atomic: there is always a current one. */
  async makeCurrent(release: number): Promise<void> {
    if ((await this.current()) === release) return
    const found = await this.#app.find(currentName)
    if (found && !found.isSymbolicLink())
      throw new HostError('stage', 'There is something named current in the directory of the app: move it away.')
    await removeAll(this.#app, staged)
    await this.#app.symlink(Buffer.from(`releases/${release}`), staged)
    await this.#app.rename(staged, this.#app, currentName)
    await this.#app.flush()
  }
}

/** Operations on an app's releases. */
export type ReleaseAct =
  /** Whether it exists, with the named root; missing is an error. */
  | { readonly act: 'find'; readonly release: number; readonly root: string }
  /** Makes it current. */
  | { readonly act: 'show'; readonly release: number }
  | { readonly act: 'remove'; readonly release: number }
  /** Removes the others. */
  | { readonly act: 'keep'; readonly releases: readonly number[] }

export interface AppPlace {
  readonly username: string
  readonly app: string
}

export async function onReleases(root: string, { username, app }: AppPlace, act: ReleaseAct): Promise<void> {
  const releases = await Releases.open(join(root, homeOf(username)), app)
  try {
    if (act.act === 'keep') await releases.prune((release) => act.releases.includes(release))
    else if (act.act === 'remove') await releases.remove(act.release)
    else await findOrShow(releases, act)
  } finally {
    await releases.close()
  }
}

async function findOrShow(
  releases: Releases,
  act: Extract<ReleaseAct, { readonly act: 'find' | 'show' }>,
): Promise<void> {
  const { release } = act
  if (!(await releases.has(release))) throw new HostError('stage', `The files of release ${release} are missing.`)
  if (act.act === 'show') return releases.makeCurrent(release)
  const isThere = await holding(releases.down(nameOf(release)), (found) => hasRoot(found, act.root))
  if (!isThere) throw new HostError('stage', `The directory ${act.root} is missing in release ${release}.`)
}
