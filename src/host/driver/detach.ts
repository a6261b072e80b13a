/** The abort reason of a caller that left, though the command may go on. */
export const leaving = Symbol('leaving')

export const isLeaving = (signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true && signal.reason === leaving
