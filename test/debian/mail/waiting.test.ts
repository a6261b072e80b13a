import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Submitters } from '../../../src/host/debian/mail/queue/submitters.ts'
import { queuedMail, WaitingMail } from '../../../src/host/debian/mail/waiting.ts'
import { tempDir } from '../../host/helpers.ts'

function bench() {
  const maildrop = join(tempDir(), 'maildrop')
  mkdirSync(maildrop)
  const queue = new Map<string, number>()
  const clock = { now: 0 }
  const waiting = new WaitingMail({
    ...{ maildrop, list: () => Promise.resolve(queue), now: () => clock.now },
    submitters: new Submitters(),
  })
  return { maildrop, queue, clock, waiting }
}

test('counts what programs handed over by the owners of its files, small ones as a block each', async () => {
  const { maildrop, waiting } = bench()
  const uid = process.getuid!()
  writeFileSync(join(maildrop, 'A'), 'x'.repeat(10_000))
  writeFileSync(join(maildrop, 'B'), 'x')
  symlinkSync('/etc/passwd', join(maildrop, 'C'))
  await waiting.look()
  expect([waiting.of(uid), waiting.of(uid + 1)]).toEqual([10_000 + 4096, 0])
})

test('counts what is queued by who was seen to send it, until it is gone', async () => {
  const { queue, clock, waiting } = bench()
  queue.set('A1', 50_000).set('A2', 70_000).set('FOREIGN', 1_000_000)
  for (const id of ['A1', 'A2', 'A3']) waiting.note(id, 20001)
  await waiting.look()
  expect(waiting.of(20001)).toBe(120_000)
  queue.delete('A1')
  // Just accepted, it may not be listed yet.
  queue.set('A3', 5_000)
  await waiting.look()
  expect(waiting.of(20001)).toBe(75_000)
  clock.now = 60_000
  queue.clear()
  await waiting.look()
  queue.set('A2', 70_000)
  await waiting.look()
  expect(waiting.of(20001)).toBe(0)
})

test('a machine without a queue has nothing waiting', async () => {
  const waiting = new WaitingMail({
    ...{ maildrop: '/nonexistent', list: () => Promise.reject(new Error('not asked')) },
    submitters: new Submitters(),
  })
  await waiting.look()
  expect(waiting.of(20001)).toBe(0)
})

test('counts the messages of all queues, and answers nothing without Postfix', async () => {
  const dir = tempDir()
  expect(await queuedMail(dir)).toBeUndefined()
  for (const below of ['maildrop', 'active', 'deferred/A', 'deferred/B', 'defer/A'])
    mkdirSync(join(dir, below), { recursive: true })
  expect(await queuedMail(dir)).toBe(0)
  // The directory `defer` has a log for each message of `deferred`.
  for (const name of ['maildrop/1', 'active/2', 'deferred/A/3', 'deferred/B/4', 'defer/A/3'])
    writeFileSync(join(dir, name), 'x')
  expect(await queuedMail(dir)).toBe(4)
})
