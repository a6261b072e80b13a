import { existsSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ensureFile, ensureUnlinked } from '../../src/host/setup/files.ts'
import type { BaseFile } from '../../src/host/setup/step.ts'
import { type Bench, bench, has } from './ground.ts'

const file: BaseFile = { path: '/etc/x.conf', content: 'new\n', mode: 0o640 }
const text = ({ root }: Bench, path = '/etc/x.conf') => readFileSync(root + path, 'utf8')

describe('file of the base configuration', () => {
  test('writes a file once, and keeps what it replaces', () => {
    const ground = bench()
    has(ground.root, 'etc/x.conf', 'old\n')
    expect(ensureFile(ground, file)).toBe(true)
    expect([text(ground), text(ground, '/etc/x.conf.panel-orig')]).toEqual(['new\n', 'old\n'])
    expect(statSync(`${ground.root}/etc/x.conf`).mode & 0o777).toBe(0o640)
    expect(ensureFile(ground.again(), file)).toBe(false)
    expect(ensureFile(ground.again(), { ...file, content: 'newer\n' })).toBe(true)
    expect([text(ground), text(ground, '/etc/x.conf.panel-orig')]).toEqual(['newer\n', 'old\n'])
  })

  test('leaves a file as an administrator changed it, and reports it', () => {
    const ground = bench()
    ensureFile(ground, file)
    has(ground.root, 'etc/x.conf', 'mine\n')
    expect(ensureFile(ground, file)).toBe(false)
    expect(text(ground)).toBe('mine\n')
    expect(ground.said).toEqual([
      "/etc/x.conf was changed by hand and stays; take it away and run this again to have panel's",
    ])
    expect(existsSync(`${ground.root}/etc/x.conf.panel-orig`)).toBe(false)
  })

  test('appends to an existing file', () => {
    const ground = bench()
    has(ground.root, 'etc/x.conf', 'mine\n')
    const adding = { ...file, content: (found: string) => (found.includes('ours') ? found : `${found}ours\n`) }
    expect([ensureFile(ground, adding), ensureFile(ground, adding)]).toEqual([true, false])
    expect([text(ground), text(ground, '/etc/x.conf.panel-orig')]).toEqual(['mine\nours\n', 'mine\n'])
    has(ground.root, 'etc/x.conf', 'mine\nours\nmore\n')
    expect(ensureFile(ground, adding)).toBe(false)
  })

  test('skips a default file if there is one', () => {
    const ground = bench()
    has(ground.root, 'etc/x.conf', 'theirs\n')
    expect(ensureFile(ground, { ...file, seed: true })).toBe(false)
    expect(text(ground)).toBe('theirs\n')
  })

  test('does not write through a link at the staging path', () => {
    const ground = bench()
    has(ground.root, 'victim', 'untouched')
    has(ground.root, 'etc/other')
    symlinkSync(join(ground.root, 'victim'), `${ground.root}/etc/x.conf.panel-new`)
    ensureFile(ground, file)
    expect([text(ground, '/victim'), text(ground)]).toEqual(['untouched', 'new\n'])
  })
})

test('a link is replaced only if it still points where its package put it', () => {
  const ground = bench()
  has(ground.root, 'etc/sites/available')
  symlinkSync('available', `${ground.root}/etc/sites/default`)
  symlinkSync('mine', `${ground.root}/etc/sites/mine`)
  const unlink = (link: string) => ensureUnlinked(ground, [link, '/etc/sites/available'])
  expect([unlink('/etc/sites/default'), unlink('/etc/sites/default'), unlink('/etc/sites/mine')]).toEqual([
    true,
    false,
    false,
  ])
  expect(lstatSync(`${ground.root}/etc/sites/mine`).isSymbolicLink()).toBe(true)
})
