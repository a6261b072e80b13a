import { dumpCompressions } from '../../../shared/sql/dumps.ts'
import { MAX_DATABASE_NAME_LENGTH, NAME_PATTERN, prefixPattern } from '../../../shared/sql/names.ts'
import { collations } from '../../../shared/sql/privileges.ts'
import { command } from '../command.ts'
import {
  depending,
  type Output,
  object,
  oneOf,
  optional,
  patterns,
  type Schema,
  text,
  where,
  yesOrNo,
} from '../fields.ts'
import * as shape from '../shape.ts'
import { accountName, anyCount } from './names.ts'

const MAX_PATH_LENGTH = 16_384
const MAX_FROM_LENGTH = 255
/** Of a dump itself, and of its objects' definers. */
const MAX_IMPORT_WARNINGS = 1_000
const MAX_EXPORT_WARNINGS = 100
const MAX_REASON_LENGTH = 2_000

const database = text(NAME_PATTERN, MAX_DATABASE_NAME_LENGTH)
/** Base64; each segment is checked where it is used. */
const path = text(/^[A-Za-z0-9+/]*={0,2}$/, MAX_PATH_LENGTH)

const file = object({ kind: oneOf('file'), path }, 'a file')
const upload = object(
  { kind: oneOf('upload'), id: text(patterns.id), size: anyCount, sha256: optional(text(/^[0-9a-f]{64}$/)) },
  'an upload',
)
/** A dump in an account's home: a file, or an upload. */
export type DumpSource = Output<typeof file> | Output<typeof upload>
const source = depending<DumpSource>((value): Schema<DumpSource> => {
  const isUpload = (value as Partial<DumpSource> | null | undefined)?.kind === 'upload'
  return (isUpload ? upload : file) as Schema<DumpSource>
})

/** A dump to load into one of an account's databases. */
const dumpImport = where(
  object(
    {
      account: accountName,
      /** Identifies the import: completed steps of the same one are not repeated. */
      id: text(patterns.id),
      database: object({ name: database, collation: oneOf(...collations) }, 'a database'),
      source,
      /** Empty the database first. */
      replace: yesOrNo,
      /** Which database, or which file, if the dump has several. */
      from: optional(text(/^[^\0\r\n]+$/, MAX_FROM_LENGTH)),
      /** What names of the account's databases and users begin with. */
      prefix: text(prefixPattern),
    },
    'importDatabase',
  ),
  ({ database, prefix }) => database.name.startsWith(prefix),
  "The database's name does not begin with the account's prefix; nothing was imported.",
)
export type DumpImport = Output<typeof dumpImport>

/** What was left out or changed of a dump, and in which line first. */
const dumpWarning = shape.fields({ line: shape.maybe(shape.count), reason: shape.text(MAX_REASON_LENGTH) })
export type DumpWarning = Output<typeof dumpWarning>

const dumpImported = shape.fields({
  tables: shape.count,
  rows: shape.count,
  /** Of the statements, unpacked. */
  bytes: shape.count,
  warnings: shape.list(dumpWarning, MAX_IMPORT_WARNINGS),
})
export type DumpImported = Output<typeof dumpImported>

/** A database to dump into a home: to a path, or to where uploads are, for a download. */
const dumpExport = object(
  {
    account: accountName,
    id: text(patterns.id),
    database,
    compression: oneOf(...dumpCompressions),
    to: optional(object({ path, overwrite: yesOrNo }, 'a path')),
    /** The most bytes that it may take. */
    room: optional(anyCount),
    /** How many files and directories the account may still make. */
    inodes: optional(anyCount),
  },
  'exportDatabase',
)
export type DumpExport = Output<typeof dumpExport>

const dumpExported = shape.fields({ bytes: shape.count, warnings: shape.list(shape.sentence, MAX_EXPORT_WARNINGS) })
export type DumpExported = Output<typeof dumpExported>

const ofAccount = { account: ({ account }: { readonly account: { readonly id: string } }) => account.id }

/** Dumps of databases that come from elsewhere, and go there. */
export const dumpCommands = {
  /** Loads a dump into a database, all or nothing. */
  importDatabase: command({ input: dumpImport, result: dumpImported, route: ofAccount }),
  /** Dumps a database into a home. */
  exportDatabase: command({ input: dumpExport, result: dumpExported, route: ofAccount }),
}
