/** A tenant changes its home while it is measured, and may close parts of it to others. */
const codes = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP']

/** What an act answers, or undefined where there is nothing any more, or nothing to see. */
export function passing<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
