/** What was made for a key before, or is made now; when there are too many all are forgotten. */
export function recall<K, T>(known: Map<K, T>, key: K, make: () => T, most = 100): T {
  const before = known.get(key)
  if (before !== undefined) return before
  if (known.size >= most) known.clear()
  const made = make()
  known.set(key, made)
  return made
}
