/** One account's share of a file that all accounts share. */
export interface Fragment {
  /** The fragment's file name: the account's username. */
  readonly name: string
  readonly content: string
}

/** Assembles the shared file from its fragments, sorted by name. */
export function assemble(fragments: readonly Fragment[]): string {
  const sorted = fragments.filter(({ name }) => !name.startsWith('.')).sort((a, b) => (a.name < b.name ? -1 : 1))
  return sorted.map(({ content }) => content).join('')
}
