import type { Difference } from '../contract/driver.ts'

/** Reported in place of a comparison that failed. */
export const errorAt =
  (path: string) =>
  ({ message }: Error): Difference[] => [{ path, change: 'fault', note: message }]
