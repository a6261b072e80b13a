import { accessSync, constants, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Directory } from '../../homes/home/directory.ts'

const MAX_TEXT_BYTES = 1024 * 1024

export const hasFile = async (directory: Directory, name: string): Promise<boolean> =>
  (await directory.find(Buffer.from(name)))?.isFile() ?? false

/** What a source contains, as a part of a sentence: lines of a log are the panel's. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')

/** The beginning of a file of the source, in UTF-8 or, as PowerShell redirects, UTF-16; empty if there is none. */
export const textIn = async (directory: Directory, name: string): Promise<string> =>
  decoded(await bytesIn(directory, name)).replace(/^\uFEFF/, '')

function decoded(bytes: Buffer): string {
  if (!isUtf16(bytes)) return bytes.toString('utf8')
  return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes)
}

/** Whether a text begins with the byte order mark of UTF-16. */
export const isUtf16 = (bytes: Buffer): boolean => ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2))

export async function bytesIn(directory: Directory, name: string): Promise<Buffer> {
  if (!(await hasFile(directory, name))) return Buffer.alloc(0)
  const file = await directory.openToRead(Buffer.from(name))
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_TEXT_BYTES), 0, MAX_TEXT_BYTES, 0)
    return buffer.subarray(0, bytesRead)
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
