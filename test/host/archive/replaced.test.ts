import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { Packer } from '../../../src/host/homes/archive/pack.ts'
import { Directory, holding } from '../../../src/host/homes/home/directory.ts'

const make: Readonly<Record<string, (path: string) => void>> = {
  directory: (path) => mkdirSync(path),
  file: (path) => writeFileSync(path, 'x'),
  link: (path) => symlinkSync('/etc', path),
  nothing: () => {},
}

test.each([
  ['link', 'directory'],
  ['link', 'file'],
  ['link', 'nothing'],
  ['directory', 'link'],
  ['directory', 'file'],
  ['file', 'link'],
  ['file', 'directory'],
])('a %s that becomes a %s while it is packed is left out, with a warning', async (before, after) => {
  const dir = mkdtempSync(join(tmpdir(), 'panel-replaced-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'entry')
  make[before]!(path)
  const packer = new Packer({
    // Asked for between the look at an entry and its use.
    get owner(): bigint {
      rmSync(path, { recursive: true, force: true })
      make[after]!(path)
      return BigInt(process.getuid!())
    },
  })
  await holding(Directory.at(dir), (root) => buffer(Readable.from(packer.pack(root))))
  expect(packer.warnings()).toEqual(['entry: changed while it was read'])
  expect(packer.files).toBe(0)
})
