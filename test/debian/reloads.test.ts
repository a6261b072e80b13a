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

test('changes that arrive during a reload share the next one, and each waits for one that has read its files', async () => {
  let installed = 0
  const reads: number[] = []
  const gates: (() => void)[] = []
  const finished: number[] = []
  const run = async (): Promise<void> => {
    const read = installed
    reads.push(read)
    await new Promise<void>((resolve) => void gates.push(resolve))
    finished.push(read)
  }
  const reloads = new Reloads([daemon('a', run)], new PendingReloads(join(tempDir(), 'owed')))
  const ended: number[] = []
  const change = async (): Promise<void> => {
    const own = ++installed
    reloads.note([`etc/a/${own}`])
    await reloads.settle([`etc/a/${own}`])
    ended.push(own)
    expect(finished.some((read) => read >= own)).toBe(true)
  }
  const first = change()
  const others = Array.from({ length: 11 }, change)
  gates[0]!()
  await first
  expect(ended).toEqual([1])
  await expect.poll(() => gates.length).toBe(2)
  gates[1]!()
  await Promise.all(others)
  expect([reads, ended.length]).toEqual([[1, 12], 12])
})

test('files that a reload for others has read since they were noted need no other one', async () => {
  let installed = 0
  const reads: number[] = []
  let gate = (): void => {}
  const run = async (): Promise<void> => {
    reads.push(installed)
    await new Promise<void>((resolve) => {
      gate = resolve
    })
  }
  const reloads = new Reloads([daemon('a', run)], new PendingReloads(join(tempDir(), 'owed')))
  const install = (name: string) => {
    installed++
    reloads.note([`etc/a/${name}`])
  }
  for (const name of ['one', 'two', 'three']) install(name)
  const one = reloads.settle(['etc/a/one'])
  const two = reloads.settle(['etc/a/two'])
  install('late')
  gate()
  await Promise.all([one, two])
  await reloads.settle(['etc/a/three'])
  expect(reads).toEqual([3])
  const late = reloads.settle(['etc/a/late'])
  gate()
  await late
  expect(reads).toEqual([3, 4])
  const again = reloads.settle(['etc/a/late'])
  gate()
  await again
  const unknown = reloads.settle(['etc/a/other'])
  gate()
  await unknown
  expect(reads).toEqual([3, 4, 4, 4])
})

test('files that a failed reload should have read are reloaded again', async () => {
  const done: string[] = []
  let problem: Error | undefined = new Error('a is down.')
  const run = async () => {
    done.push(problem ? 'failed' : 'read')
    if (problem) throw problem
  }
  const reloads = new Reloads([daemon('a', run)], new PendingReloads(join(tempDir(), 'owed')))
  reloads.note(['etc/a/one'])
  reloads.note(['etc/a/two'])
  await expect(reloads.settle(['etc/a/one'])).rejects.toThrow('a is down.')
  problem = undefined
  await reloads.settle(['etc/a/two'])
  expect(done).toEqual(['failed', 'read'])
})
