/** Families of collations that a server may have besides the usual ones. */
export interface Collations {
  /** MariaDB's, since 10.10. */
  readonly uca1400: boolean
  /** MySQL 8's. */
  readonly uca0900: boolean
}

const mysql8 = /^utf8mb4_(?:[a-z_]+_)?0900_(ai_ci|as_ci|as_cs|bin)(?:_ks)?$/i

const older: Readonly<Record<string, string>> = {
  ai_ci: 'utf8mb4_unicode_520_ci',
  as_ci: 'utf8mb4_unicode_520_ci',
  as_cs: 'utf8mb4_bin',
  bin: 'utf8mb4_bin',
}

/** What takes the place of a collation that only MySQL has. */
export function knownCollation(name: string, has: Collations): string | undefined {
  const kind = mysql8.exec(name)?.[1]?.toLowerCase()
  if (kind === undefined || has.uca0900) return undefined
  return has.uca1400 && kind !== 'bin' ? `utf8mb4_uca1400_${kind}` : older[kind]
}
