/** Caches a result for all calls; failures are retried. */
export function once<Args extends unknown[], Made>(make: (...args: Args) => Promise<Made>) {
  let made: Promise<Made> | undefined
  return (...args: Args): Promise<Made> => {
    made ??= make(...args).catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
