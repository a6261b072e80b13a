import type { AppKind } from '../contract/apps.ts'
import { type Directory, holding } from '../homes/home/directory.ts'

/** The default root of a release of files. */
export async function defaultRoot(kind: AppKind, release: Directory): Promise<string> {
  const isOfFiles = kind === 'static' || kind === 'php'
  return isOfFiles && (await release.find(Buffer.from('public')))?.isDirectory() ? 'public' : '.'
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
