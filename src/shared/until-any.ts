/**
 * Does something with a signal that aborts as soon as one of these does. A signal that lives on would keep all that
 * `AbortSignal.any` made of it until the next full collection, or, under Node 20, for ever.
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

/** Aborts with a signal; answers what ends that. */
export function follow(own: AbortController, signal: AbortSignal): () => void {
  const end = (): void => own.abort(signal.reason)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end)
  return () => signal.removeEventListener('abort', end)
}
