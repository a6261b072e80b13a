import { MAX_DOMAIN_LENGTH, plainPath } from '../../../shared/patterns.ts'
import { MAX_DATABASE_NAME_LENGTH, NAME_PATTERN, prefixPattern } from '../../../shared/sql/names.ts'
import { collations } from '../../../shared/sql/privileges.ts'
import { checkRepository } from '../../backup/validate-repository.ts'
import { readParts, savedParts } from '../backups.ts'
import { command, isLarge } from '../command.ts'
import { complete, listOf, type Output, object, oneOf, optional, patterns, text, where } from '../fields.ts'
import * as shape from '../shape.ts'
import { accountName, anyCount } from './names.ts'

const domain = patterns.domain.source.slice(1, -1)
const MAX_PATH_LENGTH = 1_024
const MAX_TEXTS = 10_001
const MAX_PATHS = 100
const MAX_DATABASES = 10_000

/** In the host's usual place unless another is given: a directory, or a repository on another machine. */
const destination = { path: optional(text(plainPath, MAX_PATH_LENGTH)), repository: optional(checkRepository) }

/** A backup of an account. */
const place = object({ account: text(patterns.id), backup: text(patterns.id), ...destination }, 'a place of backups')
export type BackupPlace = Output<typeof place>

const anyDestination = object(destination, 'testPlace')
/** A place for backups. */
export type Destination = Output<typeof anyDestination>

/** `account.json`, `dns/shop.example.zone` */
const textName = text(new RegExp(`^(?:account\\.json|dns/${domain}\\.zone)$`), MAX_DOMAIN_LENGTH + 'dns/.zone'.length)
/** A file in a backup that the panel wrote. */
const backupText = object({ name: textName, text: text(/^[^\0]*$/, Number.MAX_SAFE_INTEGER) }, 'a text')
export type BackupText = Output<typeof backupText>

const database = text(NAME_PATTERN, MAX_DATABASE_NAME_LENGTH)

const backupRequest = object(
  {
    place,
    account: accountName,
    createdAt: anyCount,
    parts: listOf(oneOf(...readParts), readParts.length),
    /** The databases to dump; absent if that part is not wanted. */
    databases: optional(listOf(database, MAX_DATABASES)),
    texts: listOf(backupText, MAX_TEXTS),
  },
  'backup',
)
export type BackupRequest = Output<typeof backupRequest>

/** The result of a part. */
const savedPart = shape.fields({
  part: shape.oneOf(...savedParts),
  status: shape.oneOf('ok', 'absent', 'failed'),
  files: shape.maybe(shape.count),
  bytes: shape.maybe(shape.count),
  warnings: shape.maybe(shape.sentences),
  error: shape.maybe(shape.sentence),
})
export type SavedPart = Output<typeof savedPart>

const savedBackup = shape.fields({
  parts: shape.list(savedPart, savedParts.length),
  /** The sizes of the text files, by name. */
  texts: shape.named(shape.count, 100_000),
  sizeBytes: shape.count,
  manifestSha256: shape.sha256,
})
export type SavedBackup = Output<typeof savedBackup>

const manifestSha256 = text(/^[0-9a-f]{64}$/)
const checkOf = (of: string) =>
  object(
    {
      place,
      manifestSha256,
      /** The parts to read; all by default. */
      parts: optional(listOf(oneOf(...savedParts), savedParts.length)),
      /** The owner of the home to unpack into. */
      into: optional(accountName),
    },
    of,
  )
const backupCheck = checkOf('checkBackup')
export type BackupCheck = Output<typeof backupCheck>

const findings = shape.fields({
  /** What is wrong with the backup, one sentence each; empty if it is intact. */
  damage: shape.sentences,
  /** The unpacked size of the archives. */
  contentBytes: shape.count,
  /** The free space at their destination. */
  freeBytes: shape.maybe(shape.count),
})
export type BackupFindings = Output<typeof findings>

/** A backup to restore a sample of, for trial, in the account's slice: it bounds what reads the statements of dumps. */
const backupTrial = object({ place, manifestSha256, account: accountName }, 'tryBackup')
export type BackupTrial = Output<typeof backupTrial>

const trialFindings = shape.fields({
  /** What could not be restored, one sentence each; empty if all that was tried could. */
  damage: shape.sentences,
  /** The names of what was restored for trial. */
  tried: shape.sentences,
  /** What was too large, and why. */
  left: shape.sentences,
})
export type TrialFindings = Output<typeof trialFindings>

/** A backup's text files, by name. */
const backupTexts = shape.fields({
  texts: shape.list(shape.fields({ name: shape.text(4096), text: shape.text(2 ** 24) })),
  /** The unpacked sizes of what goes into the home. Absent from an agent that does not measure them. */
  contents: shape.maybe(
    shape.list(
      shape.fields({ part: shape.oneOf('files', 'mail'), bytes: shape.count, inodes: shape.maybe(shape.count) }),
      savedParts.length,
    ),
  ),
})
export type BackupTexts = Output<typeof backupTexts>

const header = text(/^[^\0\r\n]*$/, 16_384)
/** A download from a backup, as stored: one part, or a tar of all. */
const download = object(
  {
    place,
    manifestSha256,
    part: optional(oneOf(...savedParts)),
    range: optional(header),
    ifRange: optional(header),
  },
  'openBackup',
)
export type BackupDownload = Output<typeof download>

/** Describes the bytes. */
const backupBytes = shape.fields({
  /** The file name's extension: `files.tar.zst`, `tar`. */
  ending: shape.exactly(/^[a-z0-9.-]{1,100}$/),
  size: shape.count,
  start: shape.count,
  length: shape.count,
  partial: shape.flag,
  /** Of all `size` bytes, if known in advance. */
  sha256: shape.maybe(shape.sha256),
})
export type BackupBytes = Output<typeof backupBytes>

/** Base64; each segment is checked where it is used. */
const pathBelow = text(/^[A-Za-z0-9+/]+={0,2}$/, 8_192)
/** A domain that was renamed since the backup, with its subdomains. */
const renamed = object({ from: text(patterns.domain), to: text(patterns.domain) }, 'a renamed domain')
export type Renamed = Output<typeof renamed>

/** Identifies a restore: completed steps of the same one are not repeated. */
const restore = text(patterns.id)

/** A part to restore into a home. */
const partRestore = object(
  {
    place,
    manifestSha256,
    account: accountName,
    restore,
    part: oneOf(...readParts),
    /** For files: which paths; all by default. */
    paths: optional(listOf(pathBelow, MAX_PATHS)),
    /** The target directory; the original place by default. */
    to: optional(pathBelow),
    /** For mail: the domain's current name. */
    domain: optional(renamed),
    /** How many files and directories the account may still make, besides as many as are replaced. */
    inodes: optional(anyCount),
  },
  'restorePart',
)
export type PartRestore = Output<typeof partRestore>

/** A database to restore: its name in the backup, and its current name. */
const databaseTarget = object({ from: database, to: database, collation: oneOf(...collations) }, 'a database')
export type DatabaseTarget = Output<typeof databaseTarget>

/** Databases of an account to restore. */
const databasesRestore = where(
  object(
    {
      place,
      manifestSha256,
      account: accountName,
      restore,
      databases: listOf(databaseTarget, MAX_DATABASES),
      /** The prefix of its names, now and in the backup. */
      prefix: text(prefixPattern),
      formerPrefix: text(prefixPattern),
    },
    'restoreDatabases',
  ),
  ({ databases, prefix }) => databases.every(({ to }) => to.startsWith(prefix)),
  "A database name does not begin with the account's prefix; nothing was restored.",
)
export type DatabasesRestore = Output<typeof databasesRestore>

/** What users must know about a successful restore, one sentence each. */
const restoreFindings = shape.fields({ warnings: shape.sentences })
export type RestoreFindings = Output<typeof restoreFindings>

/** One level of what a backup contains: paths and names are bytes in base64. */
const anyBytes = text(/^[A-Za-z0-9+/]*={0,2}$/, 8_192)
const MAX_LISTED_ENTRIES = 1_000
const listing = object(
  {
    place,
    manifestSha256,
    part: oneOf(...savedParts),
    path: anyBytes,
    /** The last name of the page before. */
    after: optional(anyBytes),
    limit: complete(1, MAX_LISTED_ENTRIES),
  },
  'listBackup',
)
export type BackupListing = Output<typeof listing>

const contentsTypes = ['file', 'directory', 'link', 'database', 'table', 'mailbox', 'folder', 'zone'] as const
const contents = shape.fields({
  /** Whether the backup was indexed; without an index there are no items. */
  indexed: shape.flag,
  items: shape.list(
    shape.fields({
      name: shape.exactly(/^[A-Za-z0-9+/]{1,8192}={0,2}$/),
      type: shape.oneOf(...contentsTypes),
      size: shape.maybe(shape.amount),
      mtimeMs: shape.maybe(shape.integer),
      mode: shape.maybe(shape.exactly(/^[0-7]{4}$/)),
    }),
    MAX_LISTED_ENTRIES,
  ),
  next: shape.maybe(shape.exactly(/^[A-Za-z0-9+/]{1,8192}={0,2}$/)),
})
export type BackupContents = Output<typeof contents>

const atPlace = { account: ({ place }: { readonly place: BackupPlace }) => place.account }
const ofAccount = { account: ({ account }: { readonly account: { readonly id: string } }) => account.id }
/** A place may be slow itself. */
const DESTINATION_TIMEOUT_MS = 20_000
const byAllWriters = { withAccounts: { ms: DESTINATION_TIMEOUT_MS } }

/** The backups of accounts. */
export const backupCommands = {
  /** Makes a backup from scratch, all or nothing; overwrites an existing one. */
  backup: command({ input: backupRequest, result: savedBackup, route: ofAccount, large: isLarge }),
  /** Verifies a backup against its manifest. */
  checkBackup: command({ input: backupCheck, result: findings, route: atPlace, large: isLarge }),
  /** Restores a sample of a backup into a throw-away directory and databases. */
  tryBackup: command({ input: backupTrial, result: trialFindings, route: ofAccount }),
  /** The panel's own files in a backup. */
  readBackup: command({ input: checkOf('readBackup'), result: backupTexts, route: atPlace, large: isLarge }),
  /** Indexes what a backup contains, so that it can be listed. */
  indexBackup: command({ input: checkOf('indexBackup'), result: shape.none, route: atPlace }),
  /** One level of what a backup contains, from its index. */
  listBackup: command({ input: listing, result: contents, route: atPlace, large: isLarge }),
  /** A backup's stored bytes. */
  openBackup: command({ input: download, result: backupBytes, route: atPlace, bulk: 'fromHost' }),
  /** Restores a part of a backup into a home, all or nothing. */
  restorePart: command({ input: partRestore, result: shape.none, route: ofAccount }),
  /** Recreates databases from a backup, each all or nothing. */
  restoreDatabases: command({ input: databasesRestore, result: restoreFindings, route: ofAccount }),
  /** Refuses a directory that cannot hold backups, or, without one, a host without restic. */
  validatePlace: command({
    input: object({ path: destination.path }, 'validatePlace'),
    result: shape.none,
    route: byAllWriters,
  }),
  /** Whether backups can be stored there; creates a missing repository. */
  testPlace: command({ input: anyDestination, result: shape.none, route: byAllWriters }),
  removeBackup: command({ input: object({ place }, 'removeBackup'), result: shape.none, route: atPlace }),
}
