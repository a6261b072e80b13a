type StoredObjectKind = 'VIEW' | 'FUNCTION' | 'PROCEDURE' | 'PACKAGE' | 'PACKAGE BODY' | 'TRIGGER' | 'EVENT'

/** A database object that runs with a user's privileges, and that user. */
export interface Definer {
  readonly kind: StoredObjectKind
  readonly name: string
  readonly user: string
  readonly host: string
}
