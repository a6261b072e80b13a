import type { AnyCompression } from '../homes/archive/compress.ts'

/** How a file is packed; `undefined`: it is text. */
export type Packed = AnyCompression | 'zip' | '7z' | 'tar' | undefined

const packings: readonly (readonly [start: string, Exclude<Packed, undefined>])[] = [
  ['1f8b', 'gzip'],
  ['28b52ffd', 'zstd'],
  ['425a68', 'bzip2'],
  ['fd377a585a00', 'xz'],
  ['504b0304', 'zip'],
  ['504b0506', 'zip'],
  ['377abcaf271c', '7z'],
]

export const packingOf = (start: Buffer): Packed => {
  const hex = start.toString('hex', 0, 8)
  return packings.find(([begins]) => hex.startsWith(begins))?.[1]
}

const fromPostgres =
  'it is of PostgreSQL. Move the data with pgloader, or export it from the application as SQL for MySQL.'

/** Files that people take for dumps, by their first bytes as Latin-1. */
const others: readonly (readonly [start: RegExp, what: string])[] = [
  [/^PGDMP/, `It is a dump in pg_dump's custom format, and no SQL for MariaDB: ${fromPostgres}`],
  [/^(?:--\s*)+PostgreSQL database (?:cluster )?dump/, `It is a PostgreSQL dump: ${fromPostgres}`],
  [
    /^(?:TAPE|MSSQLBAK)/,
    'It is a backup of Microsoft SQL Server (.bak): only that can read it. Convert the database with a migration tool, then export it as SQL for MySQL.',
  ],
  [/^SQLite format 3/, 'It is a SQLite database: convert it to SQL for MySQL first, for instance with sqlite3mysql.'],
  [/^\xfebin/, 'It is a binary log and no dump: make a dump with mariadb-dump.'],
  [/^XBSTCK01/, 'It is a backup by mariadb-backup or XtraBackup: prepare it, start a MariaDB on it, and dump that.'],
  [/^Rar!/, 'It is a RAR archive: unpack it, and pack the dump with gzip or as zip.'],
  [/^%PDF-/, 'It is a PDF and no dump: export SQL.'],
  [/^<\?xml/, 'It is XML and no SQL: make the dump without --xml, or choose the format SQL in phpMyAdmin.'],
  [
    /^\s*<(?:!doctype|html|head|body)/i,
    'It is a web page and no dump: the download was refused or led to a sign-in page.',
  ],
  [/^\s*[[{]\s*["{]/, 'It is JSON and no SQL: choose the format SQL for the export.'],
  [/^\s*<\?php/i, 'It is a PHP file and no dump: choose the format SQL for the export.'],
]

const ofDataDirectory = (what: string): string =>
  `It is ${what} of a data directory. Start a MariaDB on that directory, and dump it with mariadb-dump.`

/** By the first bytes in hex. */
const binaries: readonly (readonly [start: RegExp, what: string])[] = [
  [/^fe010[5-9a-c]/, ofDataDirectory("a table's definition (.frm)")],
  [/^fefe0[3-9]/, ofDataDirectory('a MyISAM table (.MYI)')],
  [/^000100005374616e64617264/, 'It is a Microsoft Access database: export it as SQL for MySQL.'],
]

/** Says what a file other than an SQL dump is, and what to do; undefined if it may be a dump. */
export function otherFormat(start: Buffer): string | undefined {
  const text = start.toString('latin1').replace(/^\xef\xbb\xbf/, '')
  const hex = start.toString('hex', 0, 16)
  const known = [
    ...others.filter(([pattern]) => pattern.test(text)),
    ...binaries.filter(([pattern]) => pattern.test(hex)),
  ][0]?.[1]
  if (known !== undefined) return known
  return isBinary(start) ? 'It is binary data and no SQL dump: make one with mariadb-dump or mysqldump.' : undefined
}

const MAX_BINARY_SHARE = 0.1

const isBinary = (start: Buffer): boolean => {
  const control = start.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 0x1a && byte !== 0x1b)).length
  return encodingOf(start) === 'utf-8' && control > start.length * MAX_BINARY_SHARE
}

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** By a byte order mark, or by where the zeros of ASCII are. */
export function encodingOf(start: Buffer): Encoding {
  const [first, second, third, fourth] = start
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (start.length < 4) return 'utf-8'
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le'
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? 'utf-16be' : 'utf-8'
}

/** Files of a database server's data directory. */
const ofServer = /\.(?:frm|ibd|myd|myi|mad|mai)$/i
const listedOf = (names: readonly string[]): string =>
  names.length === 0
    ? 'nothing'
    : `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`

/** Why an archive has no dump to import. */
export function withoutDump(names: readonly string[]): string {
  if (names.some((name) => ofServer.test(name)))
    return "It holds the files of a database server's data directory (.frm, .ibd, .MYD) and no dump: start a MariaDB on that directory, and dump it with mariadb-dump."
  if (names.some((name) => /(?:^|\/)toc\.dat$/.test(name))) return `It is a dump by pg_dump: ${fromPostgres}`
  if (names.some((name) => /(?:^|\/)@\.json$/.test(name)))
    return 'It is a dump by MySQL Shell: load it into a MySQL server with util.loadDump(), and dump that with mysqldump.'
  return `The archive has no file that ends in .sql: it has ${listedOf(names)}.`
}

export const severalDumps = (names: readonly string[]): string =>
  `The archive has several dumps: ${listedOf(names)}. An import takes one: say which with --from NAME.`
