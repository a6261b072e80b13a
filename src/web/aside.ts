import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { overloaded, Problem } from '../contract/problem.ts'

interface Aside {
  readonly size: number
  bytes(): Readable
  end(): Promise<void>
}

/** Accounts with a buffered upload. */
const held = new Set<string>()
const mostHeld = 4

/** Buffers bytes whose size is known only at the end; the file is unlinked while in use. */
export async function putAside(source: AsyncIterable<Buffer>, dir: string, accountId: string): Promise<Aside> {
  if (held.has(accountId))
    throw overloaded('Another upload for this account is in progress. Try again when it has finished.')
  if (held.size >= mostHeld) throw overloaded('Too many files are being received; try again in a moment.')
  held.add(accountId)
  try {
    const { file, size } = await written(source, dir)
    const end = (): Promise<void> => file.close().finally(() => held.delete(accountId))
    return { size, bytes: () => file.createReadStream({ start: 0, autoClose: false }), end }
  } catch (error) {
    held.delete(accountId)
    throw isFull(error) ? new Problem('storage-full', 'The disk is full: nothing was changed.') : error
  }
}

async function written(source: AsyncIterable<Buffer>, dir: string): Promise<{ file: FileHandle; size: number }> {
  const path = join(dir, `panel-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    let size = 0
    for await (const chunk of source) {
      await file.appendFile(chunk)
      size += chunk.length
    }
    return { file, size }
  } catch (error) {
    await file.close()
    throw error
  }
}

const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')
