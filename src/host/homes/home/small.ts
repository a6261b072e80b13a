import type { Directory } from './directory.ts'

const MAX_FILE_BYTES = 64 * 1024

/** Writes a small file atomically. */
export async function writeSmall(directory: Directory, name: Buffer, text: string): Promise<void> {
  const partial = Buffer.concat([name, Buffer.from('.partial')])
  await directory.unlink(partial).catch(() => {})
  const file = await directory.create(partial)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
  await directory.rename(partial, directory, name)
}

/** Reads a small regular file; undefined if there is none. */
export async function readSmall(directory: Directory, name: Buffer): Promise<string | undefined> {
  const file = await directory.openToRead(name).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!file) return undefined
  try {
    const stats = await file.stat()
    return stats.isFile() && stats.size <= MAX_FILE_BYTES ? await file.readFile('utf8') : undefined
  } finally {
    await file.close()
  }
}
