import { vi } from 'vitest'

/** Looks until what is expected holds, however slow the machine is: the time of the test is the limit. */
export const soon = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { interval: 2, timeout: 50_000 })
