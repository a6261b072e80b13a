import { onTestFinished, vi } from 'vitest'

/** Work takes as long as it says, however slow the machine is. */
export function timedWork(): (ms: number) => void {
  let passed = 0
  const now = vi.spyOn(performance, 'now').mockImplementation(() => passed)
  onTestFinished(() => void now.mockRestore())
  return (ms) => {
    passed += ms
  }
}
