import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { overloaded, Problem } from '../../contract/problem.ts'

interface SpooledUpload {
  readonly size: number
  bytes(): Readable
  end(): Promise<void>
}

/** Accounts with a buffered upload. */
const activeAccounts = new Set<string>()
const MAX_UPLOADS = 4

/** Buffers bytes whose size is known only at the end; the file is unlinked while in use. */
export async function spoolToDisk(
  source: AsyncIterable<Buffer>,
  dir: string,
  accountId: string,
): Promise<SpooledUpload> {
  if (activeAccounts.has(accountId))
    throw overloaded('Another upload for this account is in progress. Try again when it has finished.')
  if (activeAccounts.size >= MAX_UPLOADS) throw overloaded('Too many files are being received; try again in a moment.')
  activeAccounts.add(accountId)
  try {
    const { file, size } = await written(source, dir)
    const end = (): Promise<void> => file.close().finally(() => activeAccounts.delete(accountId))
    return { size, bytes: () => file.createReadStream({ start: 0, autoClose: false }), end }
  } catch (error) {
    activeAccounts.delete(accountId)
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
