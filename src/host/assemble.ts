/** One account's share of a file that all accounts share. */
export interface Fragment {
  /** The fragment's file name, which is the account's username. */
  readonly name: string
  readonly content: string
}

/** The shared file made of its fragments, in the order of names whatever order they were read in. */
export function assemble(fragments: readonly Fragment[]): string {
  const sorted = fragments.filter(({ name }) => !name.startsWith('.')).sort((a, b) => (a.name < b.name ? -1 : 1))
  return sorted.map(({ content }) => content).join('')
}
