/** A memo: returns the cached value or makes it; clears the cache when it is full. */
export function memoize<K, T>(known: Map<K, T>, key: K, make: () => T, max = 100): T {
  const before = known.get(key)
  if (before !== undefined) return before
  if (known.size >= max) known.clear()
  const made = make()
  known.set(key, made)
  return made
}
