import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { Packer } from '../../../src/host/homes/archive/pack.ts'
import { ZipFormat } from '../../../src/host/homes/archive/zip.ts'
import { zipEntries } from '../../../src/host/homes/archive/zip-read.ts'
import { Directory, holding } from '../../../src/host/homes/home/directory.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'panel-zip-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
})

const hasUnzip = spawnSync('unzip', ['-v']).status === 0

test.skipIf(!hasUnzip)('unzip reads what is packed', async () => {
  const from = join(dir, 'from')
  mkdirSync(join(from, 'inner'), { recursive: true })
  writeFileSync(join(from, 'inner/large'), Buffer.alloc(3_000_000, 'so many bytes '))
  writeFileSync(join(from, 'ünïcode'), 'text', { mode: 0o600 })
  writeFileSync(join(from, 'empty'), '')
  symlinkSync('inner/large', join(from, 'link'))
  const zip = await holding(Directory.at(from), (root) =>
    buffer(Readable.from(new Packer({ format: new ZipFormat() }).pack(root))),
  )
  await writeFile(join(dir, 'made.zip'), zip)
  expect(execFileSync('unzip', ['-tq', join(dir, 'made.zip')], { encoding: 'utf8' })).toContain('No errors detected')
  execFileSync('unzip', ['-q', join(dir, 'made.zip'), '-d', join(dir, 'into')], {
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
  execFileSync('diff', ['-r', '--no-dereference', from, join(dir, 'into')])
})

test('zip64 is used for many entries and for sizes beyond four bytes', {
  timeout: 60_000,
}, async () => {
  const format = new ZipFormat()
  const entry = { type: 'directory', mode: 0o755, mtime: 1_700_000_000, size: 0 } as const
  const count = 66_000
  const file = join(dir, 'many.zip')
  async function* all() {
    const large = { path: Buffer.from('large'), type: 'file', mode: 0o600, mtime: 0, size: 2 ** 32 } as const
    yield* format.entry(large, Readable.from([Buffer.from('small after all')]) as AsyncIterable<Buffer>)
    for (let n = 1; n < count; n++) yield* format.entry({ ...entry, path: Buffer.from(String(n)) })
    yield format.end()
  }
  await writeFile(file, all())
  const archive = await open(file)
  try {
    let [read, content] = [0, '']
    for await (const one of zipEntries(archive)) {
      if (read++ === 0) for await (const piece of one.content()) content += piece
    }
    expect([read, content]).toEqual([count, 'small after all'])
  } finally {
    await archive.close()
  }
  expect(readFileSync(file).includes(Buffer.from('PK\x06\x06', 'latin1'))).toBe(true)
})
