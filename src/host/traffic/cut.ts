import type { FileHandle } from 'node:fs/promises'
import type { Directory } from '../home/directory.ts'

const chunk = 256 * 1024

/**
 * Gives what was written of a log another name, and leaves the file empty: who writes to it holds it open, at its end. Of
 * more than `most` bytes only the last are kept.
 */
export async function cutLog(directory: Directory, name: Buffer, as: Buffer, most = Number.MAX_SAFE_INTEGER) {
  const log = await directory.openToRead(name)
  const partial = Buffer.concat([as, Buffer.from('.partial')])
  try {
    const { size, mode, uid, gid } = await log.stat()
    await directory.unlink(partial).catch(() => {})
    const copy = await directory.create(partial, mode & 0o777)
    await copy.chown(uid, gid)
    await copyFrom(log, copy, Math.max(0, size - most)).finally(() => copy.close())
    await directory.rename(partial, directory, as)
  } finally {
    await log.close()
  }
  const written = await directory.openToWrite(name)
  await written.truncate(0).finally(() => written.close())
}

/** To its end, whatever is written to it at the same time. */
async function copyFrom(log: FileHandle, copy: FileHandle, start: number): Promise<void> {
  const bytes = Buffer.allocUnsafe(chunk)
  for (let at = start; ; ) {
    const { bytesRead } = await log.read(bytes, 0, chunk, at)
    if (bytesRead === 0) return
    await copy.writeFile(bytes.subarray(0, bytesRead))
    at += bytesRead
  }
}
