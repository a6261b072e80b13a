import { onTestFinished, vi } from 'vitest'

/** Work takes exactly as long as it claims, however slow the machine is. */
export function timedWork(): (ms: number) => void {
  let passed = 0
  const now = vi.spyOn(performance, 'now').mockImplementation(() => passed)
  onTestFinished(() => void now.mockRestore())
  return (ms) => {
    passed += ms
  }
}
