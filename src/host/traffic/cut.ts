import type { FileHandle } from 'node:fs/promises'
import type { Directory } from '../homes/home/directory.ts'

const chunk = 256 * 1024
/** For logs that programs write themselves. They can also make them any length, without writing a byte. */
export const MAX_BUFFERED_BYTES = 10 * 1024 * 1024
const noRoom = new Set<string | undefined>(['ENOSPC', 'EDQUOT'])

/**
 * Copies the last 10 MiB of a log to another name, and truncates the file: its writer holds it open for appending. What
 * does not fit on the disk is dropped, or the log would keep it full.
 */
export async function cutLog(directory: Directory, name: Buffer, as: Buffer): Promise<void> {
  const partial = Buffer.concat([as, Buffer.from('.partial')])
  try {
    await keepEnd(directory, name, partial)
    await directory.rename(partial, directory, as)
  } catch (error) {
    await directory.unlink(partial).catch(() => {})
    if (!noRoom.has((error as NodeJS.ErrnoException).code)) throw error
  }
  const written = await directory.openToWrite(name)
  await written.truncate(0).finally(() => written.close())
}

async function keepEnd(directory: Directory, name: Buffer, partial: Buffer): Promise<void> {
  const log = await directory.openToRead(name)
  try {
    const { size, mode, uid, gid } = await log.stat()
    await directory.unlink(partial).catch(() => {})
    const copy = await directory.create(partial, mode & 0o777)
    await copy.chown(uid, gid)
    await copyFrom(log, copy, Math.max(0, size - MAX_BUFFERED_BYTES)).finally(() => copy.close())
  } finally {
    await log.close()
  }
}

/** Including concurrent writes, within limits. */
async function copyFrom(log: FileHandle, copy: FileHandle, start: number): Promise<void> {
  const bytes = Buffer.allocUnsafe(chunk)
  for (let at = start; at < start + 2 * MAX_BUFFERED_BYTES; ) {
    const { bytesRead } = await log.read(bytes, 0, chunk, at)
    if (bytesRead === 0) return
    await copy.writeFile(bytes.subarray(0, bytesRead))
    at += bytesRead
  }
}
