/** A tenant may change its home during the measurement, and make parts of it unreadable. */
const codes = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP']

/** Returns the result, or undefined if the entry has disappeared or is unreadable. */
export function passing<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
