import type { Directory } from './directory.ts'

const twoDays = 48 * 3_600_000

/** Uploads expire two days after the last write. */
export async function removeExpired(directory: Directory): Promise<void> {
  const before = Date.now() - twoDays
  for await (const name of directory.names()) {
    const stats = await directory.find(name)
    if (stats?.isFile() && Number(stats.mtimeMs) < before) await directory.unlink(name).catch(() => {})
  }
}
