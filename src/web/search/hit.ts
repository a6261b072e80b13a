/** Something that was found, and its page. */
export interface Hit {
  readonly label: string
  /** A name, and no word of the panel's. */
  readonly machine?: true
  readonly kind: string
  /** Whose it is, where that is not clear. */
  readonly of?: string | undefined
  readonly href: string
}
