import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readDump } from '../../../src/host/dumps/read.ts'
import { tempDir } from '../helpers.ts'

const MB = 1024 * 1024
const collations = { uca1400: true, uca0900: false }

/** What a file's dump is refused with; its report if it is not. */
async function refusalOf(name: string, bytes: Buffer, maxBytes = 1024 * MB): Promise<string> {
  const path = join(tempDir(), name)
  await writeFile(path, bytes)
  const file = await open(path)
  try {
    const read = readDump(file, { maxBytes, collations, isTrial: true })
    for await (const _ of read.bytes);
    return `read: ${read.report().tables} tables`
  } catch (error) {
    return (error as Error).message
  } finally {
    await file.close()
  }
}

test('a file that unpacks to more than there is room for is refused while it is read', async () => {
  const bomb = gzipSync(Buffer.concat([Buffer.from('-- '), Buffer.alloc(64 * MB, 'a')]))
  expect(bomb.length).toBeLessThan(100_000)
  expect(await refusalOf('bomb.sql.gz', bomb, 8 * MB)).toMatch(/more than 8 MB, for which there is no room/)
  expect(await refusalOf('twice.sql.gz', gzipSync(bomb), 8 * MB)).toMatch(/more than 8 MB, for which there is no room/)
})

test('a file that is packed again and again is refused', async () => {
  let bytes: Buffer = Buffer.from('SELECT 1;\n')
  for (let layer = 0; layer < 6; layer++) bytes = gzipSync(bytes)
  expect(await refusalOf('layers.sql.gz', bytes)).toBe('The file is packed too many times: unpack it first.')
})

test('a statement and a comment without an end take no more memory than one statement may', async () => {
  const before = process.memoryUsage().rss
  const endless = Buffer.concat([Buffer.from('CREATE TABLE t (a int, '), Buffer.alloc(40 * MB, 'x')])
  expect(await refusalOf('endless.sql', endless)).toBe('Line 1 begins a statement of more than 16 MiB.')
  const comment = Buffer.concat([Buffer.from('-- '), Buffer.alloc(40 * MB, 'x')])
  expect(await refusalOf('comment.sql', comment)).toBe('The file has no SQL statements.')
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * MB)
}, 30_000)

test('a dump of 100,000 tables is refused by their number', async () => {
  const tables = [...Array(100_000).keys()].map((number) => `CREATE TABLE t${number} (a int);\n`).join('')
  expect(await refusalOf('tables.sql', Buffer.from(tables))).toBe('The dump has more than 10000 tables.')
}, 30_000)
