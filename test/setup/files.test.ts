import { existsSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ensureFile, ensureUnlinked } from '../../src/host/setup/files.ts'
import type { BaseFile } from '../../src/host/setup/step.ts'
import { type Bench, bench, has } from './context.ts'

const file: BaseFile = { path: '/etc/x.conf', content: 'new\n', mode: 0o640 }
const text = ({ root }: Bench, path = '/etc/x.conf') => readFileSync(root + path, 'utf8')

describe('file of the base configuration', () => {
  test('writes a file once, and keeps what it replaces', () => {
    const context = bench()
    has(context.root, 'etc/x.conf', 'old\n')
    expect(ensureFile(context, file)).toBe(true)
    expect([text(context), text(context, '/etc/x.conf.panel-orig')]).toEqual(['new\n', 'old\n'])
    expect(statSync(`${context.root}/etc/x.conf`).mode & 0o777).toBe(0o640)
    expect(ensureFile(context.again(), file)).toBe(false)
    expect(ensureFile(context.again(), { ...file, content: 'newer\n' })).toBe(true)
    expect([text(context), text(context, '/etc/x.conf.panel-orig')]).toEqual(['newer\n', 'old\n'])
  })

  test('leaves a file as an administrator changed it, and reports it', () => {
    const context = bench()
    ensureFile(context, file)
    has(context.root, 'etc/x.conf', 'mine\n')
    expect(ensureFile(context, file)).toBe(false)
    expect(text(context)).toBe('mine\n')
    expect(context.output).toEqual([
      "/etc/x.conf was changed by hand and stays; take it away and run this again to have panel's",
    ])
    expect(existsSync(`${context.root}/etc/x.conf.panel-orig`)).toBe(false)
  })

  test('appends to an existing file', () => {
    const context = bench()
    has(context.root, 'etc/x.conf', 'mine\n')
    const adding = { ...file, content: (found: string) => (found.includes('ours') ? found : `${found}ours\n`) }
    expect([ensureFile(context, adding), ensureFile(context, adding)]).toEqual([true, false])
    expect([text(context), text(context, '/etc/x.conf.panel-orig')]).toEqual(['mine\nours\n', 'mine\n'])
    has(context.root, 'etc/x.conf', 'mine\nours\nmore\n')
    expect(ensureFile(context, adding)).toBe(false)
  })

  test('skips a default file if there is one', () => {
    const context = bench()
    has(context.root, 'etc/x.conf', 'theirs\n')
    expect(ensureFile(context, { ...file, seed: true })).toBe(false)
    expect(text(context)).toBe('theirs\n')
  })

  test('does not write through a link at the staging path', () => {
    const context = bench()
    has(context.root, 'victim', 'untouched')
    has(context.root, 'etc/other')
    symlinkSync(join(context.root, 'victim'), `${context.root}/etc/x.conf.panel-new`)
    ensureFile(context, file)
    expect([text(context, '/victim'), text(context)]).toEqual(['untouched', 'new\n'])
  })
})

test('a link is replaced only if it still points where its package put it', () => {
  const context = bench()
  has(context.root, 'etc/sites/available')
  symlinkSync('available', `${context.root}/etc/sites/default`)
  symlinkSync('mine', `${context.root}/etc/sites/mine`)
  const unlink = (link: string) => ensureUnlinked(context, [link, '/etc/sites/available'])
  expect([unlink('/etc/sites/default'), unlink('/etc/sites/default'), unlink('/etc/sites/mine')]).toEqual([
    true,
    false,
    false,
  ])
  expect(lstatSync(`${context.root}/etc/sites/mine`).isSymbolicLink()).toBe(true)
})
