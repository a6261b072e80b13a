import type { BackupContents, BackupListing } from '../../contract/commands/backups.ts'
import { FileError } from '../../contract/error.ts'
import type { Roots } from '../readers.ts'
import { type ContentsEntry, entryIn, fromIndex, keyOf, toIndex } from './line.ts'
import { readIndex } from './store.ts'

type LinesFrom = (key: string) => AsyncGenerator<string>

/** A page of what a backup contains at a path. Without an index it says so. */
export async function listContents({ host }: Roots, request: BackupListing): Promise<BackupContents> {
  const { place, manifestSha256 } = request
  const found = await readIndex(host, place, manifestSha256, (linesFrom) => pageOf(linesFrom, request))
  return found ?? { indexed: false, items: [] }
}

async function pageOf(linesFrom: LinesFrom, { part, path, after, limit }: BackupListing): Promise<BackupContents> {
  const folder = toIndex(Buffer.from(path, 'base64'))
  const begin = after === undefined ? '' : toIndex(Buffer.from(after, 'base64'))
  const items: ContentsEntry[] = []
  let isMore = false
  for await (const line of linesFrom(keyOf(part, folder, begin))) {
    if (!line.startsWith(keyOf(part, folder, ''))) break
    const entry = entryIn(line)
    if (after !== undefined && entry.name === begin) continue
    isMore = items.length === limit
    if (isMore) break
    items.push(entry)
  }
  if (items.length === 0 && folder !== '') await refuseUnlessFolder(linesFrom, part, folder)
  const last = items.at(-1)
  return {
    indexed: true,
    items: items.map(toItem),
    ...(isMore && last && { next: fromIndex(last.name).toString('base64') }),
  }
}

const folders: readonly string[] = ['directory', 'mailbox', 'database']

/** An empty directory has an entry in the one above it. */
async function refuseUnlessFolder(linesFrom: LinesFrom, part: string, path: string): Promise<void> {
  const end = path.lastIndexOf('/')
  const key = keyOf(part, path.slice(0, Math.max(0, end)), path.slice(end + 1))
  for await (const line of linesFrom(key)) {
    if (!line.startsWith(`${key}\t`)) break
    if (folders.includes(entryIn(line).type)) return
  }
  throw new FileError('not-found', 'The backup contains no such directory.')
}

const toItem = ({ name, mtime, mode, ...entry }: ContentsEntry) => ({
  ...entry,
  name: fromIndex(name).toString('base64'),
  mtimeMs: mtime === undefined ? undefined : mtime * 1000,
  mode: mode === undefined ? undefined : `0${(mode & 0o777).toString(8).padStart(3, '0')}`,
})
