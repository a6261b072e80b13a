import type { AppKind } from '../contract/apps.ts'
import type { DeployRequest } from '../contract/commands/apps.ts'
import { type Directory, holding } from '../homes/home/directory.ts'

/** The default root of a release of files. */
export async function defaultRoot(kind: AppKind, release: Directory): Promise<string> {
  const isOfFiles = kind === 'static' || kind === 'php'
  return isOfFiles && (await release.find(Buffer.from('public')))?.isDirectory() ? 'public' : '.'
}

/** What macOS adds to an archive. */
const debris = /^(?:__MACOSX|\.DS_Store|\._.*)$/

type Commands = Pick<DeployRequest, 'root' | 'install' | 'build' | 'app'>

/** The one directory that an archive has, as downloads from git hosts do, unless the app's settings name it. */
export async function wrapperOf(release: Directory, order: Commands): Promise<string | undefined> {
  const name = await onlyNameIn(release)
  if (name === undefined || !/^\w[\w.-]*$/.test(name)) return undefined
  const { kind, start } = order.app
  const isKnown = order.root !== undefined || (await defaultRoot(kind, release)) !== '.'
  const isNamed = [start, order.install, order.build].some((command) => command?.includes(name))
  return !isKnown && !isNamed && (await hasRoot(release, name)) ? name : undefined
}

async function onlyNameIn(directory: Directory): Promise<string | undefined> {
  let only: string | undefined
  for await (const bytes of directory.names()) {
    const name = bytes.toString()
    if (debris.test(name)) continue
    if (only !== undefined) return undefined
    only = name
  }
  return only
}

/** The directory in a release that its root names; symlinks on the way are not followed. */
export async function downTo(release: Directory, root: string): Promise<Directory | undefined> {
  let current = await release.down(Buffer.from('.'))
  for (const part of root.split('/').filter((one) => one !== '.')) {
    const above = current
    try {
      if (!(await above.find(Buffer.from(part)))?.isDirectory()) return undefined
      current = await above.down(Buffer.from(part))
    } finally {
      await above.close()
    }
  }
  return current
}

export const hasRoot = async (release: Directory, root: string): Promise<boolean> => {
  const found = await downTo(release, root)
  if (found) await holding(Promise.resolve(found), async () => {})
  return found !== undefined
}
