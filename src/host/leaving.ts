/** Why a command is no longer waited for, though what it began may go on: who asked for it has gone. */
export const leaving = Symbol('leaving')

export const isLeaving = (signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true && signal.reason === leaving
