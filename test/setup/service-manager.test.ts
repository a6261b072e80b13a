import { existsSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tellReady } from '../../src/shared/service-manager.ts'

test.runIf(existsSync('/usr/bin/systemd-notify'))('systemd is notified of readiness, and by the watchdog', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const said: string[] = []
  const end = tellReady({ NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '90000000' }, (state) => void said.push(state))
  vi.advanceTimersByTime(60_000)
  expect(said).toEqual(['READY=1', 'WATCHDOG=1', 'WATCHDOG=1'])
  end()
  vi.advanceTimersByTime(60_000)
  expect(said).toHaveLength(3)
})

test('nothing is sent if systemd did not start it', () => {
  const said: string[] = []
  tellReady({}, (state) => void said.push(state))
  expect(said).toEqual([])
})
