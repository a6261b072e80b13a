import type { Difference } from '../driver.ts'

/** Told in the place of what could not be compared. */
export const faultAt =
  (path: string) =>
  ({ message }: Error): Difference[] => [{ path, change: 'fault', note: message }]
