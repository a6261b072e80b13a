import { ProgramError } from '../programs/error.ts'

/** A statement that MariaDB refused. */
export interface RefusedStatement {
  readonly code: number
  readonly line?: number
  /** MariaDB's own words. */
  readonly message: string
}

const pattern = /^ERROR (\d+)(?: \([0-9A-Z]{5}\))?(?: at line (\d+))?(?: in file: '[^']*')?: ([\s\S]*)$/

export function refusedStatement(error: unknown): RefusedStatement | undefined {
  if (!(error instanceof ProgramError)) return undefined
  const [, code, line, message = ''] = pattern.exec(error.line) ?? []
  return code === undefined ? undefined : { code: Number(code), ...(line && { line: Number(line) }), message }
}

/** What InnoDB cannot hold, and MyISAM or Aria can: a second AUTO_INCREMENT column of a key, long rows and keys. */
const ofEngine = new Set([1071, 1075, 1118, 1214])

export const needsOtherEngine = (error: unknown): boolean => ofEngine.has(refusedStatement(error)?.code ?? 0)

const otherDatabase =
  'It needs rights that an import does not have: those of another database, or of the whole server. Dump the one database, without users, and with definers and views of its own.'
const full = 'The disk for databases is full. Make room on the host, then import again.'

/** What to do about it. */
const advice: Readonly<Record<number, string>> = {
  1044: otherDatabase,
  1045: otherDatabase,
  1142: otherDatabase,
  1143: otherDatabase,
  1227: otherDatabase,
  1370: otherDatabase,
  1410: otherDatabase,
  1050: 'The database has a table of that name, and the dump does not drop it. Import with --replace to empty the database first, or make the dump with --add-drop-table.',
  1304: 'The database has a routine of that name. Import with --replace to empty the database first.',
  1359: 'The database has a trigger of that name. Import with --replace to empty the database first.',
  1537: 'The database has an event of that name. Import with --replace to empty the database first.',
  1062: 'A row with that key is there already. Import with --replace to empty the database first.',
  1146: 'The dump uses a table that it does not create. Import the dump of the whole database.',
  1049: 'The dump names a database that is not here. Dump the one database alone.',
  1064: 'MariaDB cannot read the statement: it may be of another kind of server or damaged. Make the dump again with mysqldump or phpMyAdmin, as SQL for MySQL.',
  1115: 'MariaDB does not have that character set. Make the dump with --default-character-set=utf8mb4.',
  1273: 'MariaDB does not have that collation. Replace it in the dump by utf8mb4_unicode_ci.',
  1153: 'A single statement is longer than MariaDB takes. Make the dump with --net-buffer-length=1M.',
  1021: full,
  1114: full,
  1030: full,
  3: full,
  1205: 'A program of the account holds a lock on the table. Stop it for the time of the import.',
  1969: 'The statement took more than an hour. Make the dump with smaller statements.',
  2006: 'MariaDB closed the connection: it was restarted, or it has too little memory. Import again.',
  2013: 'MariaDB closed the connection: it was restarted, or it has too little memory. Import again.',
}

/** Where it is in the dump, what it is, what MariaDB said, and what to do. */
export function refusalOf(
  { code, line, message }: RefusedStatement,
  found: string | undefined,
  replace: boolean,
): string {
  const where = line === undefined ? 'The dump was refused' : `Line ${line}${found ? `, ${found}` : ''}`
  const known = advice[code]
  const words =
    known === undefined || (replace && known.includes('--replace')) ? 'Correct the dump, or make it again.' : known
  return `${where}: ${message.slice(0, MAX_MESSAGE_LENGTH).trim()}. ${words} Nothing was changed. (MariaDB error ${code})`
}

const MAX_MESSAGE_LENGTH = 500
