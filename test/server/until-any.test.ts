import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { untilAny } from '../../src/shared/until-any.ts'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

test('work aborts with any of the signals, and leaves no listeners on the others', async () => {
  const [lasting, brief] = [new AbortController(), new AbortController()]
  const ended = untilAny(
    [lasting.signal, brief.signal],
    (signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  )
  expect(listeners(lasting.signal)).toBe(1)
  brief.abort('over')
  await expect(ended).rejects.toBe('over')
  expect(await untilAny([lasting.signal], async (signal) => signal.aborted)).toBe(false)
  expect(listeners(lasting.signal)).toBe(0)
})

test('a signal already aborted aborts it at once', async () => {
  expect(await untilAny([AbortSignal.abort('gone')], async ({ aborted, reason }) => [aborted, reason])).toEqual([
    true,
    'gone',
  ])
})
