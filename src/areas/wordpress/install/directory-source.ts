import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ArchiveSource, extensionVersionsIn, SourceError, versionsIn } from './archives.ts'

/** Archives in a directory of this machine, which root has chosen. */
export const directoryAt = (directory: string): ArchiveSource => ({
  checksum: 'sha256',
  extensionChecksum: 'sha256',
  async extensionVersions(kind, slug) {
    return extensionVersionsIn((await present(() => readdir(join(directory, kind)))) ?? [], slug)
  },
  versions: async (locale) => versionsIn(await readable(() => readdir(directory)), locale),
  async read(name, maxBytes) {
    return present(() => readFileOf(join(directory, name), maxBytes))
  },
})

/** Undefined if it is missing. */
const present = <T>(act: () => Promise<T>): Promise<T | undefined> =>
  readable(act).catch((error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  })

async function readFileOf(path: string, maxBytes: number): Promise<Buffer> {
  // A pipe would keep it waiting.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > maxBytes) throw new SourceError(`${path} is not a file of a possible size.`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

async function readable<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EACCES' && code !== 'ENOTDIR') throw error
    throw new SourceError('The server may not read the directory that the setting wordpress_source names.')
  }
}
