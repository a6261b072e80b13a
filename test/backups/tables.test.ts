import { expect, test } from 'vitest'
import { tablesIn } from '../../src/host/backup/contents/tables.ts'

async function* inPieces(text: string, length: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

test('finds the tables of a dump, however its bytes arrive', async () => {
  const dump = [
    '-- MariaDB dump',
    'CREATE TABLE `orders` (',
    '  `note` text',
    ') ENGINE=InnoDB;',
    `INSERT INTO \`orders\` VALUES ('CREATE TABLE \`no\` (${'x'.repeat(5_000)}');`,
    'CREATE TABLE IF NOT EXISTS `größe``n` (',
    '/*!50001 CREATE TABLE `view` */;',
    'CREATE TABLE `last` (',
  ].join('\n')
  for (const length of [1, 7, 1_024, 100_000]) {
    const names: string[] = []
    for await (const name of tablesIn(inPieces(`${dump}\n`, length))) names.push(name.toString())
    expect(names).toEqual(['orders', 'größe`n', 'last'])
  }
})
