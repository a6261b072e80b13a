/** Caches a result for all calls; failures are retried. */
export function once<Given extends unknown[], Made>(make: (...given: Given) => Promise<Made>) {
  let made: Promise<Made> | undefined
  return (...given: Given): Promise<Made> => {
    made ??= make(...given).catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
