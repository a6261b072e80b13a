import type { FilesFromAfar } from '../../../host/contract/client.ts'
import { type FileEntry, FileError } from '../../../host/contract/driver.ts'

/** An app's releases in its home, and the one that its link `current` names. */
export interface FoundReleases {
  readonly numbers: ReadonlySet<number>
  readonly current?: number | undefined
  /** Whether the current one has a directory `public`. */
  readonly hasPublic: boolean
}

const MAX_RELEASES = 1000
const ofRelease = /^[1-9]\d{0,8}$/
const ofCurrent = /^releases\/([1-9]\d{0,8})$/

const encode = (path: string): string => Buffer.from(path).toString('base64')
const decode = (path: string): string => Buffer.from(path, 'base64').toString('latin1')

export async function findReleases(files: FilesFromAfar, app: string): Promise<FoundReleases> {
  const path = encode(`apps/${app}/releases`)
  const { items } = (await unlessMissing(files.act('list', { path, limit: MAX_RELEASES }))) ?? { items: [] }
  const names = items.filter(({ type }) => type === 'directory').map(({ name }) => decode(name))
  const numbers = new Set(names.filter((name) => ofRelease.test(name)).map(Number))
  const link = await entryAt(files, `apps/${app}/current`)
  const named = Number(ofCurrent.exec(decode(link?.target ?? ''))?.[1])
  if (!numbers.has(named)) return { numbers, hasPublic: false }
  const publicFolder = await entryAt(files, `apps/${app}/releases/${named}/public`)
  return { numbers, current: named, hasPublic: publicFolder?.type === 'directory' }
}

const entryAt = (files: FilesFromAfar, path: string): Promise<FileEntry | undefined> =>
  unlessMissing(files.act('stat', { path: encode(path) }))

/** Treats an unreachable path, such as one behind a link, as missing. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}
