/** How large the rows are. */
export interface Sizes {
  readonly agents: number
  /** Over two nodes. */
  readonly accounts: number
  /** Of the file that is streamed. */
  readonly gigabytes: number
  /** Of the store that is brought back, in gigabytes. */
  readonly store: number
  /** The commit before there were nodes. */
  readonly before: string
}
