import { execFileSync } from 'node:child_process'
import type { BigIntStats } from 'node:fs'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { Packer } from '../../../src/host/homes/archive/pack.ts'
import { Unoccupied } from '../../../src/host/homes/archive/unoccupied.ts'
import { copy } from '../../../src/host/homes/home/copy.ts'
import { Directory, holding } from '../../../src/host/homes/home/directory.ts'

const GiB = 1024 ** 3

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-holes-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function sparse(path: string, size: number, text = ''): void {
  writeFileSync(path, text)
  truncateSync(path, size)
}

test('a file of too many holes is left out of a backup or an archive, with a warning', async () => {
  const dir = place()
  writeFileSync(join(dir, 'a'), 'content')
  sparse(join(dir, 'huge'), 4096 * GiB)
  sparse(join(dir, 'small'), 1024 * 1024)
  const packer = new Packer()
  const bytes = await holding(Directory.at(dir), (root) => buffer(Readable.from(packer.pack(root))))
  expect(packer.warnings()).toEqual(['huge: was left out: holes and hard links in what is packed exceed 64 GiB'])
  expect(execFileSync('tar', ['-t'], { input: bytes, encoding: 'utf8' }).split('\n').filter(Boolean).sort()).toEqual([
    'a',
    'small',
  ])
})

test('holes and further names of a file are counted together, data once', () => {
  const file = (size: number, more: Partial<Record<keyof BigIntStats, bigint>> = {}) =>
    ({ size: BigInt(size), blocks: BigInt(size) / 512n, nlink: 1n, ino: 1n, ...more }) as unknown as BigIntStats
  const counted = new Unoccupied()
  expect(counted.take(file(1000 * GiB))).toBe(true)
  expect(counted.take(file(40 * GiB, { blocks: 0n }))).toBe(true)
  expect(counted.take(file(100 * GiB, { nlink: 3n, ino: 2n }))).toBe(true)
  expect(counted.take(file(100 * GiB, { nlink: 3n, ino: 2n }))).toBe(false)
  expect(counted.take(file(20 * GiB, { nlink: 2n, ino: 3n }))).toBe(true)
  expect(counted.take(file(20 * GiB, { nlink: 2n, ino: 3n }))).toBe(true)
  expect(counted.take(file(5 * GiB, { blocks: 0n }))).toBe(false)
  expect(counted.take(file(4 * GiB, { blocks: 0n }))).toBe(true)
})

const base64 = (text: string) => Buffer.from(text).toString('base64')

const copied = (dir: string, from: string, to: string, room?: number) =>
  holding(Directory.at(dir), (directory) =>
    copy({ directory, uid: BigInt(process.getuid!()) }, {
      id: '01JTESTTESTTESTTESTTESTTES',
      from: base64(from),
      to: base64(to),
      ...(room !== undefined && { room }),
    } as never),
  )

test('holes are copied as holes, too many are refused', async () => {
  const dir = place()
  mkdirSync(join(dir, '.panel'))
  sparse(join(dir, 'small'), 8 * 1024 * 1024, 'text')
  sparse(join(dir, 'huge'), 4096 * GiB)
  expect(await copied(dir, 'small', 'copy', 8 * 1024 * 1024)).toEqual({ files: 1 })
  expect(statSync(join(dir, 'copy'))).toMatchObject({ size: 8 * 1024 * 1024 })
  expect(statSync(join(dir, 'copy')).blocks).toBeLessThanOrEqual(256)
  expect(readFileSync(join(dir, 'copy')).equals(readFileSync(join(dir, 'small')))).toBe(true)
  await expect(copied(dir, 'huge', 'other')).rejects.toThrow('contains more than 64 GiB of holes and hard links')
  await expect(copied(dir, 'small', 'other', 8 * 1024 * 1024 - 1)).rejects.toThrow('The disk quota is used up.')
})
