import type { BigIntStats } from 'node:fs'
import type { FileEntry, FileInput, TrashItem } from '../../contract/commands/files.ts'
import { FileError, quotaUsedUp, trashCounts } from '../../contract/error.ts'
import { MAX_TRASH_ITEMS } from '../../contract/files.ts'
import { type Directory, holding } from './directory.ts'
import { entryOf, refuseForeign, seen } from './entry.ts'
import { asFileError } from './error.ts'
import { checkNewName, joined, partsOf, refuseReserved, wrong } from './path.ts'
import { removalPrefix, removeAll } from './remove.ts'
import { renameToFree } from './rename.ts'
import { readSmall, writeSmall } from './small.ts'
import { byBytes, Smallest } from './smallest.ts'
import { atPath, descend, type Home, makeParents, type ParentEntry } from './walk.ts'

const place = [Buffer.from('.trash')]
const item = Buffer.from('item')
const about = Buffer.from('about.json')
const isItem = (name: Buffer): boolean => /^[0-9A-Z]{26}$/.test(name.toString('latin1'))

/** Moves the entry at a path to the trash, without opening it. */
export async function trash(home: Home, { path, id, now, whenFull }: FileInput<'trash'>): Promise<TrashItem> {
  const parts = partsOf(path)
  refuseReserved(parts)
  if (parts[0]!.equals(place[0]!)) throw wrong('path', 'is in the trash already: empty the trash')
  return atPath(home, parts, async (found) => {
    const stats = await found.parent.lstat(found.name)
    refuseForeign(home, stats)
    const item = await itemOf(found, stats, { id, now })
    const moving = described(home, found, item).catch((error: unknown) => {
      if (whenFull === undefined || !isFull(error)) throw error
      return undescribed(home, found, id)
    })
    await moving.catch(async (error: unknown) => {
      throw isMissing(error) && (await found.parent.find(found.name)) ? unusable() : error
    })
    return item
  })
}

const described = (home: Home, found: ParentEntry, input: TrashItem): Promise<void> =>
  holding(makeParents(home, [...place, Buffer.from(input.id)], 0o700), async (own) => {
    await writeSmall(own, about, JSON.stringify(input))
    await found.parent.rename(found.name, own, item)
  })

/** A rename needs no room in a directory that exists. */
const undescribed = (home: Home, found: ParentEntry, id: string): Promise<void> =>
  holding(descend(home, place), (directory) =>
    found.parent.rename(found.name, directory, Buffer.from(`${removalPrefix}${id}`)),
  )

function isMissing(error: unknown): boolean {
  const reason = asFileError(error)
  return reason instanceof FileError && reason.reason === 'not-found'
}

/** What is to be moved exists, so the way into the trash does not: callers must not take it for moved. */
const unusable = (): FileError => new FileError('in-use', '.trash is not a directory: rename it.')

function isFull(error: unknown): boolean {
  const reason = asFileError(error)
  return reason instanceof FileError && (reason.reason === 'limit-reached' || reason.reason === 'storage-full')
}

async function itemOf(
  found: ParentEntry,
  stats: BigIntStats,
  { id, now }: { id: string; now: number },
): Promise<TrashItem> {
  const { type, size } = await entryOf(found, stats)
  return {
    id,
    path: joined(found.parts).toString('base64'),
    type,
    size: type === 'directory' ? 0 : size,
    deletedAt: now,
  }
}

/** The newest restorable items, the newest first: the trash may have any number of entries. */
export async function listTrash(home: Home): Promise<{ items: TrashItem[] }> {
  const items: TrashItem[] = []
  await inTrash(home, async (directory) => {
    const newest = new Smallest(MAX_TRASH_ITEMS, (one, other) => byBytes(other, one))
    for await (const name of directory.names()) if (isItem(name)) newest.offer(name.toString('latin1'))
    for (const name of newest.sorted()) {
      const found = await readItem(directory, Buffer.from(name, 'latin1'))
      if (found) items.push(found)
    }
  })
  return { items }
}

/** Says of a used-up quota that the trash uses some of it. */
export async function namingTrash(home: Home, error: unknown): Promise<unknown> {
  if (!(error instanceof FileError) || error.reason !== 'limit-reached') return error
  let items = 0
  await inTrash(home, async (directory) => {
    for await (const name of directory.names()) if (isItem(name) && ++items >= MAX_TRASH_ITEMS) break
  }).catch(() => {})
  return items === 0 ? error : quotaUsedUp(trashCounts(items))
}

/** Does nothing if the account has no trash. */
async function inTrash(home: Home, act: (directory: Directory) => Promise<void>): Promise<void> {
  const directory = await descend(home, place).catch((error: unknown) => {
    if (error instanceof FileError && error.reason === 'not-found') return undefined
    throw error
  })
  if (directory) await act(directory).finally(() => directory.close())
}

/** Its owner can write anything there: ignore what is not a valid item. */
async function readItem(directory: Directory, name: Buffer): Promise<TrashItem | undefined> {
  return holding(directory.down(name), async (own) => {
    const text = (await own.find(item)) && (await readSmall(own, about))
    return text === undefined ? undefined : itemIn(text, name.toString('latin1'))
  }).catch(() => undefined)
}

/** In base64. */
const MAX_PATH_LENGTH = 8192

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

function itemIn(text: string, id: string): TrashItem | undefined {
  const { path, type, size, deletedAt } = JSON.parse(text) as TrashItem
  const known = ['file', 'directory', 'link', 'other'].includes(type)
  const isPath = typeof path === 'string' && path.length <= MAX_PATH_LENGTH
  if (!isPath || !known || !isCount(size) || !isCount(deletedAt)) return undefined
  return { id, path, type, size, deletedAt }
}

/** Restores it to its original path or another; creates missing directories on the way. */
export async function restore(home: Home, { id, to }: FileInput<'restore'>): Promise<FileEntry> {
  const own = await descend(home, [...place, Buffer.from(id)]).catch(() => undefined)
  if (!own) throw gone()
  try {
    const text = await readSmall(own, about)
    const known = text === undefined ? undefined : itemIn(text, id)
    const target = to ?? known?.path
    if (target === undefined || !(await own.find(item))) throw gone()
    const parts = partsOf(target, 'to')
    // Its own path is taken as it was.
    if (target !== known?.path) for (const part of parts) checkNewName([part], 'to')
    refuseReserved(parts)
    await (await makeParents(home, parts.slice(0, -1), 0o755, 'to')).close()
    const entry = await atPath(
      home,
      parts,
      async (there) => {
        await renameToFree({ parent: own, name: item }, there, await own.lstat(item))
        return seen(there)
      },
      'to',
    )
    await own.unlink(about).catch(() => {})
    await holding(descend(home, place), (directory) => directory.removeDirectory(Buffer.from(id))).catch(() => {})
    return entry
  } finally {
    await own.close()
  }
}

const gone = (): FileError => new FileError('not-found', 'No such trash item.')

/**
 * Permanently removes what was deleted before a given time, and invalid items. An item that cannot be removed holds up
 * no other; the first error is thrown in the end.
 */
export async function emptyTrash(
  home: Home,
  { before }: FileInput<'emptyTrash'>,
  signal?: AbortSignal,
): Promise<{ removed: number }> {
  let removed = 0
  const failures: unknown[] = []
  await inTrash(home, async (directory) => {
    for await (const name of directory.names()) {
      const found = isItem(name) ? await readItem(directory, name) : undefined
      if (found && found.deletedAt >= before) continue
      const failed = (error: unknown) => void failures.push(error)
      await removeAll(directory, name, { signal }).then(() => removed++, failed)
      signal?.throwIfAborted()
    }
  })
  if (failures.length > 0) throw failures[0]
  return { removed }
}
