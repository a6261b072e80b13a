import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ManifestEntry } from './manifest.ts'

export type Bytes = AsyncIterable<Buffer>

/** Writes a backup's file to disk, and returns its size and SHA-256. */
export async function writeEntry(folder: string, name: string, bytes: Bytes): Promise<ManifestEntry> {
  await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o700 })
  const file = await open(join(folder, name), 'wx', 0o600)
  try {
    const written = await copy(bytes, file)
    await file.sync()
    return { name, ...written }
  } finally {
    await file.close()
  }
}

async function copy(bytes: Bytes, file: FileHandle): Promise<Omit<ManifestEntry, 'name'>> {
  const hash = createHash('sha256')
  let count = 0
  for await (const chunk of bytes) {
    hash.update(chunk)
    await file.writeFile(chunk)
    count += chunk.length
  }
  return { bytes: count, sha256: hash.digest('hex') }
}

/** Waits until a directory's entries are on disk. */
export async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
