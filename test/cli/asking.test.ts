import { expect, test, vi } from 'vitest'
import { canAsk } from '../../src/cli/terminal.ts'

test('detects whether anyone can be asked without opening standard input, which is read later', () => {
  const opened = vi.spyOn(process, 'stdin', 'get')
  expect(canAsk()).toBe(false)
  expect(opened).not.toHaveBeenCalled()
  opened.mockRestore()
})
