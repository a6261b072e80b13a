/** How many letters must change to turn one word into the other. */
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

/** In a short word every letter counts. */
const tolerance = (typed: string, word: string): number =>
  typed.length < 3 ? 1 : Math.max(2, Math.floor(word.length / 4))

/** The words that were probably meant, those that begin alike first, then the nearest. */
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

/** `did you mean listAccounts?`, if anything is near. */
export function didYouMean(word: string, words: readonly string[]): string | undefined {
  const found = similar(word, words)
  return found.length > 0 ? `did you mean ${found.join(' or ')}?` : undefined
}
