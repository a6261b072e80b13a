import { existsSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { notifyReady } from '../../src/shared/service-manager.ts'

test.runIf(existsSync('/usr/bin/systemd-notify'))('systemd is notified of readiness, and by the watchdog', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const output: string[] = []
  const end = notifyReady({ NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '90000000' }, (state) => void output.push(state))
  vi.advanceTimersByTime(60_000)
  expect(output).toEqual(['READY=1', 'WATCHDOG=1', 'WATCHDOG=1'])
  end()
  vi.advanceTimersByTime(60_000)
  expect(output).toHaveLength(3)
})

test('nothing is sent if systemd did not start it', () => {
  const output: string[] = []
  notifyReady({}, (state) => void output.push(state))
  expect(output).toEqual([])
})
