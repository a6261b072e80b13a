import { closeSync, openSync, readSync } from 'node:fs'

const headerBytes = 100

export function headerOf(file: string): Buffer {
  const header = Buffer.alloc(headerBytes)
  const handle = openSync(file, 'r')
  try {
    readSync(handle, header, 0, headerBytes, 0)
  } finally {
    closeSync(handle)
  }
  return header
}

const isSqlite = (header: Buffer): boolean => header.toString('latin1', 0, 16) === 'SQLite format 3\0'

/** The application id of a SQLite file; undefined for other files. */
export function idOf(file: string): number | undefined {
  const header = headerOf(file)
  return isSqlite(header) ? header.readUInt32BE(68) : undefined
}

/** The size that a SQLite header states; 0 for other files. */
export function sizeIn(header: Buffer): number {
  if (!isSqlite(header)) return 0
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  return pageSize * header.readUInt32BE(28)
}
