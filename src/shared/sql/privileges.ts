/** Grantable privileges on a database, in the order in which they are stored. */
export const privileges = [
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'CREATE',
  'DROP',
  'REFERENCES',
  'INDEX',
  'ALTER',
  'CREATE TEMPORARY TABLES',
  'LOCK TABLES',
  'CREATE VIEW',
  'SHOW VIEW',
  'CREATE ROUTINE',
  'ALTER ROUTINE',
  'EXECUTE',
  'EVENT',
  'TRIGGER',
] as const
export type Privilege = (typeof privileges)[number]

export const all = 'ALL'
/** Every privilege on the database except granting them to others. */
export type Granted = readonly (Privilege | typeof all)[]

export const collations = [
  'utf8mb4_unicode_ci',
  'utf8mb4_general_ci',
  'utf8mb4_bin',
  'utf8mb3_general_ci',
  'latin1_swedish_ci',
] as const
export type Collation = (typeof collations)[number]
