import { absolutePath, MAX_PATH_LENGTH } from '../../../shared/patterns.ts'
import { command, isLarge } from '../command.ts'
import {
  complete,
  listOf,
  type Output,
  object,
  oneOf,
  optional,
  patterns,
  type Schema,
  text as textOf,
} from '../fields.ts'
import * as shape from '../shape.ts'
import { accountName, anyCount } from './names.ts'

const MAX_INTEGER = Number.MAX_SAFE_INTEGER
const MAX_DIRS = 20
/** What fits into one answer. */
export const MAX_SOURCE_BYTES = 12 * 1024 * 1024
const MAX_ITEMS = 100_000

const path = textOf(absolutePath, MAX_PATH_LENGTH)

const archiveFields = {
  path,
  /** The directories below which it may be. */
  dirs: listOf(path, MAX_DIRS),
  maxEntries: complete(1, MAX_INTEGER),
  /** Of all files, unpacked. */
  maxBytes: complete(1, MAX_INTEGER),
}

/** An archive on the host's disk, and how much of it may be read. */
const archiveRequest = (of: string) => object(archiveFields, of)
export type ArchiveRequest = Output<ReturnType<typeof archiveRequest>>

const line = textOf(/^[^\0\r\n]*$/, MAX_PATH_LENGTH)
const renames = listOf(object({ from: line, to: line }, 'a name'), MAX_ITEMS)
const MAX_HOMES = 200

/** What of an archive to unpack beside an account's home, and where it goes there. */
const unpacking = object(
  {
    ...archiveFields,
    id: textOf(patterns.id),
    /** The user id that is reserved for the account. */
    uid: complete(1, 2 ** 31),
    /** The most bytes to write; by default the free space. */
    room: optional(anyCount),
    /** The former paths of the home. */
    homes: listOf(path, MAX_HOMES),
    /** Document roots, which the web server reads. */
    roots: listOf(line, MAX_ITEMS),
    /** Directories of mailboxes below `mail`, then and now; an empty one is the default address's. */
    mailboxes: renames,
    /** Databases whose dumps come, then and now. */
    databases: renames,
    without: listOf(oneOf('files', 'mail'), 2),
  },
  'unpackArchive',
)
export type Unpacking = Output<typeof unpacking>

const MAX_WARNINGS = 1_000
const unpacked = shape.fields({
  files: shape.count,
  bytes: shape.count,
  warnings: shape.list(shape.sentence, MAX_WARNINGS),
  /** Entries that are never unpacked, by reason. */
  refused: shape.named(shape.count, MAX_ITEMS),
})
export type Unpacked = Output<typeof unpacked>

const placedImport = shape.fields({ placed: shape.flag })
export type PlacedImport = Output<typeof placedImport>

/** The panels whose archives can be read. */
const importFormats = ['cpanel', 'directadmin', 'hestia'] as const

const aliasKinds = ['address', 'local', 'program', 'file', 'include', 'fail', 'blackhole', 'autorespond'] as const

/** Only the whole has a bound that matters. */
const text = shape.text(MAX_SOURCE_BYTES)
const list = <T>(item: Schema<T>) => shape.list(item, MAX_ITEMS)

const sourcePlan = shape.fields({
  name: shape.maybe(text),
  owner: shape.maybe(text),
  contact: shape.maybe(text),
  locale: shape.maybe(text),
  startedAt: shape.maybe(shape.count),
  suspended: shape.maybe(shape.fields({ reason: text })),
  passwordHash: shape.maybe(text),
  shell: shape.maybe(text),
  ips: list(text),
  /** Absent: unlimited. */
  quotaMb: shape.maybe(shape.count),
  bandwidthMb: shape.maybe(shape.count),
  maxEmailPerHour: shape.maybe(shape.count),
  /** Maximum numbers by the panel's names of objects; absent: unlimited. */
  limits: shape.named(shape.count, MAX_ITEMS),
})
export type SourcePlan = Output<typeof sourcePlan>

const sourceDomain = shape.fields({
  name: text,
  kind: shape.oneOf('main', 'addon', 'sub', 'parked'),
  /** Relative to the home; absent where it is outside. */
  documentRoot: shape.maybe(text),
  parent: shape.maybe(text),
  /** `8.2`; absent: the server's default. */
  php: shape.maybe(text),
})
export type SourceDomain = Output<typeof sourceDomain>

const sourceMailbox = shape.fields({
  local: text,
  domain: text,
  /** A crypt(3) hash; absent: none. */
  hash: shape.maybe(text),
  isLocked: shape.flag,
  /** Absent: unlimited. */
  quotaMb: shape.maybe(shape.count),
  format: shape.oneOf('maildir', 'mdbox'),
  messages: shape.count,
  bytes: shape.count,
  /** The address that gets what no mailbox has: its login is the account's. */
  isDefault: shape.mark,
})
export type SourceMailbox = Output<typeof sourceMailbox>

const aliasTarget = shape.fields({
  kind: shape.oneOf(...aliasKinds),
  value: text,
})
export type AliasTarget = Output<typeof aliasTarget>

const sourceAlias = shape.fields({
  domain: text,
  /** `*`: what no other address has. */
  local: text,
  targets: list(aliasTarget),
  file: text,
  line: shape.count,
})
export type SourceAlias = Output<typeof sourceAlias>

const sourceAutoresponder = shape.fields({
  local: text,
  domain: text,
  from: shape.maybe(text),
  subject: text,
  body: text,
  isHtml: shape.flag,
  startsAt: shape.maybe(shape.count),
  endsAt: shape.maybe(shape.count),
  intervalHours: shape.maybe(shape.count),
})
export type SourceAutoresponder = Output<typeof sourceAutoresponder>

const sourceMailDomain = shape.fields({
  domain: text,
  routing: shape.oneOf('local', 'remote', 'auto', 'secondary'),
  /** The domain whose addresses are its addresses. */
  aliasOf: shape.maybe(text),
})
export type SourceMailDomain = Output<typeof sourceMailDomain>

const sourceZone = shape.fields({
  name: text,
  text: text,
  /** Where the archive has it. */
  file: shape.maybe(text),
  isSigned: shape.flag,
})
export type SourceZone = Output<typeof sourceZone>

/** A statement of a dump that is not run. */
const dumpStatement = shape.fields({
  number: shape.count,
  line: shape.count,
  kind: text,
})
export type DumpStatement = Output<typeof dumpStatement>

const sourceDatabase = shape.fields({
  name: text,
  charset: shape.maybe(text),
  collation: shape.maybe(text),
  bytes: shape.count,
  statements: shape.count,
  tables: shape.count,
  views: shape.count,
  triggers: shape.count,
  routines: shape.count,
  events: shape.count,
  /** Any of these makes the whole dump unusable. */
  refused: list(dumpStatement),
  refusedCount: shape.count,
  /** These are passed over. */
  left: list(dumpStatement),
})
export type SourceDatabase = Output<typeof sourceDatabase>

const sourceGrant = shape.fields({
  /** As it stands, with `%` and `_` as patterns. */
  database: text,
  privileges: list(text),
  grantOption: shape.flag,
})
export type SourceGrant = Output<typeof sourceGrant>

const sourceDatabaseUser = shape.fields({
  name: text,
  hosts: list(text),
  hash: shape.maybe(text),
  hashKind: shape.oneOf('native', 'old', 'sha2', 'none'),
  isSuspended: shape.flag,
  grants: list(sourceGrant),
})
export type SourceDatabaseUser = Output<typeof sourceDatabaseUser>

const sourceFtp = shape.fields({
  local: text,
  domain: text,
  hash: text,
  /** Absolute, as on the old server. */
  directory: text,
  isOwn: shape.flag,
})
export type SourceFtp = Output<typeof sourceFtp>

const sourceCron = shape.fields({
  line: shape.count,
  /** As it stands. */
  text: text,
  schedule: text,
  command: text,
  mailTo: shape.maybe(text),
  shell: shape.maybe(text),
})
export type SourceCron = Output<typeof sourceCron>

const sourceCertificate = shape.fields({
  domain: text,
  certificate: text,
  key: text,
  chain: text,
})
export type SourceCertificate = Output<typeof sourceCertificate>

const sourceHtaccess = shape.fields({
  /** Relative to the home. */
  file: text,
  does: list(text),
  hasAccess: shape.flag,
  /** Nothing but WordPress's own permalinks. */
  isPermalinks: shape.flag,
  php: shape.maybe(text),
})
export type SourceHtaccess = Output<typeof sourceHtaccess>

const sourceFiles = shape.fields({
  files: shape.count,
  directories: shape.count,
  links: shape.count,
  hardLinks: shape.count,
  bytes: shape.count,
  /** Entries that are never unpacked, by reason. */
  refused: shape.named(shape.count, MAX_ITEMS),
  /** The first of them, shortened; absent where the agent is older. */
  refusedNames: shape.maybe(shape.named(list(text), MAX_ITEMS)),
  /** Links that lead out of the home: the first of them. */
  outside: list(shape.fields({ file: text, target: text })),
  outsideCount: shape.count,
  /** Files whose rights are reduced. */
  modes: shape.count,
})
export type SourceFiles = Output<typeof sourceFiles>

const sourceOther = shape.fields({
  what: text,
  count: shape.count,
})
export type SourceOther = Output<typeof sourceOther>

const sourceFinding = shape.fields({
  part: text,
  item: text,
  text: text,
  file: shape.maybe(text),
  line: shape.maybe(shape.count),
})
export type SourceFinding = Output<typeof sourceFinding>

/** What is in an archive: one account, whichever panel made it. */
const importSource = shape.fields({
  format: shape.oneOf(...importFormats),
  panelVersion: shape.maybe(text),
  sizeBytes: shape.count,
  madeAt: shape.maybe(shape.count),
  username: text,
  mainDomain: text,
  /** The path of its home on the old server, and further ones that led there. */
  homes: list(text),
  plan: sourcePlan,
  domains: list(sourceDomain),
  mailboxes: list(sourceMailbox),
  aliases: list(sourceAlias),
  autoresponders: list(sourceAutoresponder),
  /** Whose mail goes to the addresses of another domain. */
  mailDomains: list(sourceMailDomain),
  zones: list(sourceZone),
  databases: list(sourceDatabase),
  databaseUsers: list(sourceDatabaseUser),
  ftp: list(sourceFtp),
  cron: list(sourceCron),
  certificates: list(sourceCertificate),
  sshKeys: list(text),
  htaccess: list(sourceHtaccess),
  files: sourceFiles,
  /** What cannot come, by what it is, and how many. */
  others: list(sourceOther),
  /** What was left out while reading, or read in another way than it stands. */
  findings: list(sourceFinding),
  /** Why it could not be read to its end; the rest is what came before. */
  damage: shape.maybe(text),
})
export type ImportSource = Output<typeof importSource>

/** Archives of other panels' accounts. Only the control plane's own host has them. */
export const importCommands = {
  /** Opens an archive, and refuses a file that is not one by its first bytes. */
  checkArchive: command({
    input: archiveRequest('checkArchive'),
    result: shape.fields({ sizeBytes: shape.count }),
  }),
  /** Reads an archive of an account once, and writes nothing. */
  readArchive: command({ input: archiveRequest('readArchive'), result: importSource, large: isLarge }),
  /** Unpacks the home and the dumps of an archive beside the homes, all or nothing. */
  unpackArchive: command({ input: unpacking, result: unpacked, large: isLarge }),
  /** Renames what was unpacked to the account's home; does nothing where that is there. */
  placeImport: command({
    input: object({ id: textOf(patterns.id), account: accountName }, 'placeImport'),
    result: placedImport,
  }),
  /** Removes the dumps that were unpacked with the home. */
  clearImport: command({ input: object({ account: accountName }, 'clearImport'), result: shape.fields({}) }),
  /** Removes what was unpacked, and what the removed account of the import left in the trash. */
  dropImport: command({
    input: object({ id: textOf(patterns.id), account: optional(textOf(patterns.id)) }, 'dropImport'),
    result: shape.fields({}),
  }),
}
