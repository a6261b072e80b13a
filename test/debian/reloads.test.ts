import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PendingReloads } from '../../src/host/debian/pending-reloads.ts'
import { type Reload, Reloads } from '../../src/host/debian/reloads.ts'
import { tempDir } from '../host/helpers.ts'

const daemon = (name: string, run: () => Promise<void>): Reload => ({
  name,
  reads: (path) => path.startsWith(`etc/${name}/`),
  run,
})

test('reloads at the next start what was installed before a crash', async () => {
  const folder = join(tempDir(), 'owed')
  const done: string[] = []
  const make = () =>
    new Reloads(
      [daemon('a', async () => void done.push('a')), daemon('b', async () => void done.push('b'))],
      new PendingReloads(folder),
    )
  make().note(['etc/a/file', 'etc/c/file'])
  const next = make()
  await next.settle([])
  expect(done).toEqual(['a'])
  await next.settle([])
  await next.settle(['etc/b/file'])
  expect(done).toEqual(['a', 'b'])
})

test('keeps a reload pending for what is installed during another', async () => {
  const pending = new PendingReloads(join(tempDir(), 'owed'))
  let reloads: Reloads
  const notedMeanwhile = async () => reloads.note(['etc/a/later'])
  let work = notedMeanwhile
  reloads = new Reloads([daemon('a', () => work())], pending)
  reloads.note(['etc/a/file'])
  await reloads.settle(['etc/a/file'])
  expect(pending.names()).toEqual(['a'])
  work = async () => {}
  await reloads.settle([])
  expect(pending.names()).toEqual([])
})

test('a daemon that fails does not prevent the reload of others', async () => {
  const done: string[] = []
  const fails = daemon('a', () => Promise.reject(new Error('a is down.')))
  const reloads = new Reloads(
    [fails, daemon('b', async () => void done.push('b'))],
    new PendingReloads(join(tempDir(), 'owed')),
  )
  await expect(reloads.settle(['etc/a/x', 'etc/b/x'])).rejects.toThrow('a is down.')
  expect(done).toEqual(['b'])
})
