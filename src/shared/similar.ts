/** The edit distance of two words. */
export function distance(first: string, second: string): number {
  let previous = Array.from({ length: second.length + 1 }, (_, at) => at)
  for (let row = 1; row <= first.length; row++) {
    const current = [row]
    for (let column = 1; column <= second.length; column++) {
      const same = first[row - 1] === second[column - 1] ? 0 : 1
      const change = (previous[column - 1] ?? 0) + same
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}

/** Short words tolerate fewer differences. */
const tolerance = (typed: string, word: string): number =>
  typed.length < 3 ? 1 : Math.max(2, Math.floor(word.length / 4))

/** The words probably meant: first those with the same beginning, then the nearest. */
export function similar(word: string, words: readonly string[]): string[] {
  const typed = word.toLowerCase()
  const near = words
    .map((one) => ({ one, far: one.toLowerCase().startsWith(typed) ? 0 : distance(typed, one.toLowerCase()) }))
    .filter(({ one, far }) => far <= tolerance(typed, one) || one.toLowerCase().includes(typed))
  return near
    .sort((first, second) => first.far - second.far)
    .slice(0, 3)
    .map(({ one }) => one)
}

/** `did you mean listAccounts?`, if any is similar. */
export function didYouMean(word: string, words: readonly string[]): string | undefined {
  const found = similar(word, words)
  return found.length > 0 ? `did you mean ${found.join(' or ')}?` : undefined
}
