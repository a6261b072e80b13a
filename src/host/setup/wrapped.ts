const widest = 78

/** Wraps words to fit a terminal. */
export function wrapped(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > widest) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}
