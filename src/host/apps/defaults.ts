import type { AppKind } from '../contract/apps.ts'
import { type Directory, holding } from '../homes/home/directory.ts'

const isThere = async (directory: Directory, name: string): Promise<boolean> =>
  (await directory.find(Buffer.from(name)))?.isFile() ?? false

/** The default install command of a release. */
export async function defaultInstall(kind: AppKind, directory: Directory): Promise<string | undefined> {
  if (kind === 'node') {
    for (const lock of ['package-lock.json', 'npm-shrinkwrap.json'])
      if (await isThere(directory, lock)) return 'npm ci --no-audit --no-fund'
    return undefined
  }
  if (kind !== 'python' || !(await isThere(directory, 'requirements.txt'))) return undefined
  return 'python3 -m venv .venv && .venv/bin/pip install --disable-pip-version-check -r requirements.txt'
}

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
