import type { Directory } from './directory.ts'
import { removeAll } from './remove.ts'

const twoDays = 48 * 3_600_000

/** Uploads, and whatever was never finished, expire two days after the last write. */
export async function removeExpired(directory: Directory): Promise<void> {
  const before = Date.now() - twoDays
  for await (const name of directory.names()) {
    const stats = await directory.find(name)
    if (stats && Number(stats.mtimeMs) < before) await removeAll(directory, name).catch(() => {})
  }
}
