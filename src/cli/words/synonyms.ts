/** What each of some words means. */
export const each = (typed: string, meant: string): Record<string, readonly string[]> =>
  Object.fromEntries(typed.split(' ').map((word) => [word, meant.split(' ')]))
