import { accessSync, constants, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Directory } from '../../homes/home/directory.ts'

const MAX_TEXT_BYTES = 1024 * 1024

export const hasFile = async (directory: Directory, name: string): Promise<boolean> =>
  (await directory.find(Buffer.from(name)))?.isFile() ?? false

/** What a source contains, as a part of a sentence: lines of a log are the panel's. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

/** The beginning of a file of the source; empty if there is none. */
export async function textIn(directory: Directory, name: string): Promise<string> {
  if (!(await hasFile(directory, name))) return ''
  const file = await directory.openToRead(Buffer.from(name))
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_TEXT_BYTES), 0, MAX_TEXT_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '')
  } finally {
    await file.close()
  }
}

/** Finds programs as a shell does. */
export function programIn(path: string, name: string): string | undefined {
  return path
    .split(':')
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The directories that match `a/b/*` and `a/b/*` with more below: `nvm/*` + `/bin`. */
export function foldersLike(pattern: string): string[] {
  const [before, after = ''] = pattern.split('*')
  try {
    return readdirSync(before!)
      .sort()
      .map((name) => `${before}${name}${after}`)
  } catch {
    return []
  }
}
