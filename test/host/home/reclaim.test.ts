import {
  chmodSync,
  chownSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reclaim } from '../../../src/host/homes/home/reclaim.ts'

const other = 54_321

test.skipIf(process.getuid?.() !== 0)(
  'what has another owner is replaced by own copies, and no inode is changed',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'panel-reclaim-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const at = (name: string): string => join(home, name)
    mkdirSync(at('deep/er'), { recursive: true })
    symlinkSync('/home', at('deep/er/link'))
    linkSync(at('deep/er/link'), at('second-link'))
    writeFileSync(at('one'), 'shared')
    linkSync(at('one'), at('deep/two'))
    for (const name of ['single', 'open']) writeFileSync(at(name), name, { mode: 0o644 })
    chmodSync(at('open'), 0o666)
    for (const name of ['one', 'single', 'open']) chownSync(at(name), other, other)
    lchownSync(at('second-link'), other, other)
    const inUse = lstatSync(at('one')).ino
    linkSync(at('one'), at('deep/three'))
    expect(await reclaim(home, undefined, other)).toBe(6)
    const uid = (name: string): number => lstatSync(at(name)).uid
    expect(['deep/er/link', 'second-link', 'one', 'deep/two', 'deep/three', 'open', 'single'].map(uid)).toEqual([
      0,
      0,
      0,
      0,
      0,
      0,
      other,
    ])
    expect([readlinkSync(at('second-link')), readFileSync(at('deep/two'), 'utf8')]).toEqual(['/home', 'shared'])
    expect(lstatSync(at('one')).ino).not.toBe(inUse)
    expect(await reclaim(home, undefined, other)).toBe(0)
  },
)
