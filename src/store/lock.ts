import Database from 'better-sqlite3'
import { ownFile } from '../shared/files.ts'
import { toUserMessage } from './storage-error.ts'

/**
 * Locks a data directory for one server: an open transaction on a small SQLite file, which the kernel releases even
 * after kill -9. Throws if another server holds it.
 */
export function lockDirectory(file: string): () => void {
  try {
    const lock = hold(file)
    return () => lock.close()
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY'))
      throw new Error('Another panel server is running on this data directory.')
    throw toUserMessage(error, file)
  }
}

function hold(file: string): Database.Database {
  ownFile(file)
  const lock = new Database(file, { timeout: 0 })
  try {
    lock.pragma('journal_mode = DELETE')
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}
