/**
 * Runs work with a signal that aborts as soon as one of these does. A long-lived signal would retain everything that
 * `AbortSignal.any` derives from it until the next full collection or, under Node 20, forever.
 */
export async function untilAny<T>(
  signals: readonly AbortSignal[],
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController()
  const leave = signals.map((signal) => follow(own, signal))
  try {
    return await act(own.signal)
  } finally {
    for (const one of leave) one()
  }
}

/** Aborts with a signal; returns a function that detaches it. */
export function follow(own: AbortController, signal: AbortSignal): () => void {
  const end = (): void => own.abort(signal.reason)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end)
  return () => signal.removeEventListener('abort', end)
}
