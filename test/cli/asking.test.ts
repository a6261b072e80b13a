import { expect, test, vi } from 'vitest'
import { canAsk } from '../../src/cli/terminal.ts'

test('whether there is someone to ask is found without opening standard input, which is read as a whole later', () => {
  const opened = vi.spyOn(process, 'stdin', 'get')
  expect(canAsk()).toBe(false)
  expect(opened).not.toHaveBeenCalled()
  opened.mockRestore()
})
