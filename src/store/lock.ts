import Database from 'better-sqlite3'

/**
 * Holds a data directory for one server: an open transaction on a small SQLite file, which the kernel frees
 * even after kill -9. Throws when another server holds it.
 */
export function lockDirectory(file: string): () => void {
  const lock = new Database(file, { timeout: 0 })
  try {
    lock.pragma('journal_mode = DELETE')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY'))
      throw new Error('Another panel server is running on this data directory.')
    throw error
  }
  return () => lock.close()
}
