/** A search result and its page. */
export interface Hit {
  readonly label: string
  /** Its name is an identifier, not a word of the panel's. */
  readonly machine?: true
  readonly kind: string
  /** Its account, if that is not clear. */
  readonly of?: string | undefined
  readonly href: string
}
