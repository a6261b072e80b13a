import type { Difference } from '../driver.ts'

/** Reported in place of a comparison that failed. */
export const faultAt =
  (path: string) =>
  ({ message }: Error): Difference[] => [{ path, change: 'fault', note: message }]
