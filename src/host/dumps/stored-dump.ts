import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DumpImport } from '../contract/commands/dumps.ts'

/** A host without a database server keeps what was imported last beside the statements of its accounts. */
const folder = 'etc/panel/db.d'

const fileOf = (root: string, database: string): string => join(root, folder, `${database}.dump.sql`)

export async function storeDump(root: string, { database }: DumpImport, bytes: AsyncIterable<Buffer>): Promise<void> {
  const path = fileOf(root, database.name)
  await mkdir(join(root, folder), { recursive: true })
  const file = await open(`${path}.partial`, 'w', 0o600)
  try {
    for await (const piece of bytes) await file.writeFile(piece)
    await file.sync()
    await rename(`${path}.partial`, path)
  } finally {
    await file.close()
    await rm(`${path}.partial`, { force: true })
  }
}

/** What was imported last, or a dump of an empty database. */
export async function* storedDump(root: string, database: string): AsyncGenerator<Buffer> {
  const path = fileOf(root, database)
  if (existsSync(path)) yield* createReadStream(path) as AsyncIterable<Buffer>
  else yield Buffer.from('-- An empty database.\n')
}
