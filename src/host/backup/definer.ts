type Kind = 'VIEW' | 'FUNCTION' | 'PROCEDURE' | 'PACKAGE' | 'PACKAGE BODY' | 'TRIGGER' | 'EVENT'

/** What runs in a database with the rights of a user, and which user that is. */
export interface Definer {
  readonly kind: Kind
  readonly name: string
  readonly user: string
  readonly host: string
}
