import { vi } from 'vitest'

/** Polls until the expectation holds, however slow the machine is: the test's timeout is the limit. */
export const soon = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { interval: 2, timeout: 50_000 })
