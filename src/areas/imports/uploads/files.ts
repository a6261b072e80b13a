import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Runtime } from '../../../runtime/runtime.ts'

type Stored = Pick<Runtime, 'store'>

/** In the panel's own directory: archives are the server's, and of no account yet. */
export const uploadsDir = ({ store }: Stored): string => join(dirname(store.sqlite.name), 'import-uploads')

/** Ids are ULIDs: no name that a caller chooses is part of a path. */
export const pathOf = (runtime: Stored, id: string): string => join(uploadsDir(runtime), id)

export async function sizeOf(runtime: Stored, id: string): Promise<number> {
  const found = await stat(pathOf(runtime, id)).catch(() => undefined)
  return found?.size ?? 0
}

/** Free bytes that an upload may take: a tenth of the file system stays free. */
export async function roomFor(runtime: Stored): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(dirname(uploadsDir(runtime)))
  return Math.max(0, (bavail - blocks / 10) * bsize)
}

export async function openUpload(runtime: Stored, id: string): Promise<FileHandle> {
  await mkdir(uploadsDir(runtime), { recursive: true, mode: 0o700 })
  return open(pathOf(runtime, id), constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
}

export const removeFile = (runtime: Stored, id: string): Promise<void> => rm(pathOf(runtime, id), { force: true })

/** Removes files that neither an upload nor an import has. */
export async function sweep(runtime: Stored, isUsed: (id: string) => boolean): Promise<void> {
  const names = await readdir(uploadsDir(runtime)).catch(() => [])
  for (const name of names) if (!isUsed(name)) await removeFile(runtime, name)
}

export async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
