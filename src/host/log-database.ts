import { renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { ownFile } from '../shared/files.ts'

/** Opens a database of rows from a log; a damaged file is set aside, as the log can be read again. */
export function openLogDatabase(path: string, schema: string): Database.Database {
  try {
    return open(path, schema)
  } catch (error) {
    if (!['SQLITE_CORRUPT', 'SQLITE_NOTADB'].includes((error as { code?: string }).code ?? '')) throw error
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
    renameSync(path, `${path}.damaged`)
    return open(path, schema)
  }
}

function open(path: string, schema: string): Database.Database {
  // SQLite gives the files beside it the same mode.
  ownFile(path)
  const sqlite = new Database(path)
  sqlite.pragma('journal_mode = WAL')
  // What a power cut loses is read again from the log.
  sqlite.pragma('synchronous = NORMAL')
  sqlite.exec(schema)
  return sqlite
}
