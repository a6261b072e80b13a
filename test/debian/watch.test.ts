import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { encode } from '../../src/host/agent/protocol/frames.ts'
import { Inbox } from '../../src/host/debian/worker/inbox.ts'
import { limitsOf } from '../../src/host/debian/worker/limits.ts'
import { scopeWords } from '../../src/host/debian/worker/scope.ts'
import { Watch, type Watched } from '../../src/host/debian/worker/watch.ts'

/** A process that answers every beat, unless told otherwise. */
class FakeProcess implements Watched {
  answered = 0
  cpuMs = 0
  moved = 0
  stopped = false
  answers = true
  ended: string | undefined

  isStopped = () => this.stopped
  beat(): void {
    if (this.answers) this.answered++
  }
  kill(message: string): void {
    this.ended = message
  }
}

describe('process that works for root with a uid of a tenant', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const bulk = { timeoutMs: 3_600_000, stallMs: 60_000 }

  test('kills the process once its tenant has stopped it', () => {
    const process = new FakeProcess()
    new Watch(process, bulk)
    process.stopped = true
    vi.advanceTimersByTime(2_000)
    expect(process.ended).toBeUndefined()
    vi.advanceTimersByTime(1_000)
    expect(process.ended).toBe('A program of the account stopped the process that works in its home.')
  })

  test('kills the process if it is stopped and continued in turn', () => {
    const process = new FakeProcess()
    new Watch(process, bulk)
    for (let look = 0; look < 30; look++) {
      process.stopped = look % 10 === 0
      vi.advanceTimersByTime(1_000)
    }
    expect(process.ended).toBe('A program of the account stopped the process that works in its home.')
  })

  test('kills the process if it does not answer', () => {
    const process = new FakeProcess()
    new Watch(process, bulk)
    process.answers = false
    vi.advanceTimersByTime(30_000)
    expect(process.ended).toBeUndefined()
    vi.advanceTimersByTime(1_000)
    expect(process.ended).toBe('The process that works in the home did not answer for 30 s.')
  })

  test('limits the time of the process by its work, counting only the time that root waits', () => {
    const process = new FakeProcess()
    const watch = new Watch(process, { timeoutMs: 60_000 })
    vi.advanceTimersByTime(59_000)
    watch.isPending = false
    vi.advanceTimersByTime(3_600_000)
    expect(process.ended).toBeUndefined()
    watch.isPending = true
    vi.advanceTimersByTime(1_000)
    expect(process.ended).toBe('The work in the home took longer than 60 s.')
  })

  test('lets the process take long while it computes or moves bytes, but not if it only answers', () => {
    const process = new FakeProcess()
    new Watch(process, bulk)
    for (let second = 0; second < 300; second++) {
      process.cpuMs += 1
      vi.advanceTimersByTime(1_000)
    }
    for (let second = 0; second < 300; second++) {
      process.moved += 1
      vi.advanceTimersByTime(1_000)
    }
    expect(process.ended).toBeUndefined()
    process.cpuMs += 10
    vi.advanceTimersByTime(61_000)
    expect(process.ended).toBe('The work in the home made no progress for 60 s.')
  })

  test('leaves the process alone once its request is over', () => {
    const process = new FakeProcess()
    new Watch(process, { timeoutMs: 1_000 }).end()
    vi.advanceTimersByTime(60_000)
    expect(process.ended).toBeUndefined()
  })
})

test('quick requests have a minute, measuring has two, and a build has its own time', () => {
  expect(limitsOf('act', { verb: 'stat', input: { path: '' } }).timeoutMs).toBe(60_000)
  expect(limitsOf('act', { verb: 'extract', input: {} as never }).timeoutMs).toBe(6 * 3_600_000)
  expect(limitsOf('measure', {}).timeoutMs).toBe(120_000)
  expect(limitsOf('make', { buildTimeoutS: 600 } as never)).toEqual({ timeoutMs: 720_000 })
})

describe('channel to root', () => {
  test('ends a channel that sends more than is read, and buffers no more than that', async () => {
    const stream = new PassThrough()
    const inbox = new Inbox(stream)
    const junk = Buffer.concat(Array.from({ length: 1_000 }, (_, n) => encode({ type: 'received', size: n })))
    stream.write(junk)
    await vi.waitFor(() => expect(stream.destroyed).toBe(true))
    let unread = 0
    while ((await inbox.next()) !== undefined) unread++
    expect(unread).toBe(9)
  })

  test('ends a channel with a frame over its limit', async () => {
    const stream = new PassThrough()
    const inbox = new Inbox(stream, { isSmall: true })
    stream.write(encode({ type: 'done', result: 'x'.repeat(65 * 1024) }).subarray(0, 100))
    expect(await inbox.next()).toBeUndefined()
    expect(stream.destroyed).toBe(true)
  })
})

test('a worker is moved to the slice of its tenant, with more weight than its programs', () => {
  const words = scopeWords(77, 'bob', 'panel-work-bob-x.scope').join(' ')
  expect(words).toContain('StartTransientUnit ssa(sv)a(sa(sv)) panel-work-bob-x.scope fail 5')
  expect(words).toContain('Slice s panel-bob.slice PIDs au 1 77 CPUWeight t 1000')
})
