import { MAX_DOMAIN_LENGTH, plainPath } from '../../shared/patterns.ts'
import { MAX_DATABASE_NAME_LENGTH, NAME_PATTERN, prefixPattern } from '../../shared/sql/names.ts'
import { collations } from '../../shared/sql/privileges.ts'
import type {
  BackupCheck,
  BackupDownload,
  BackupPlace,
  BackupRequest,
  BackupText,
  DatabasesRestore,
  DatabaseTarget,
  Destination,
  PartRestore,
  Renamed,
} from '../contract/backups.ts'
import { readParts, savedParts } from '../contract/backups.ts'
import { checkAccountName } from '../contract/check.ts'
import { HostError } from '../contract/error.ts'
import {
  complete,
  type FieldCheck,
  fields,
  listOf,
  object,
  oneOf,
  optional,
  patterns,
  text,
} from '../contract/fields.ts'
import { checkRepository } from './validate-repository.ts'

const domain = patterns.domain.source.slice(1, -1)
const MAX_PATH_LENGTH = 1_024
const MAX_TEXTS = 10_001

const path = text(plainPath, MAX_PATH_LENGTH)
const where = { path: optional(path), repository: optional(checkRepository) }
const place = object<BackupPlace>(
  { account: text(patterns.id), backup: text(patterns.id), ...where },
  'a place of backups',
)
const content: FieldCheck = (value, field) => text(/^[^\0]*$/, Number.MAX_SAFE_INTEGER)(value, field)
const named = text(new RegExp(`^(?:account\\.json|dns/${domain}\\.zone)$`), MAX_DOMAIN_LENGTH + 'dns/.zone'.length)
const texts = listOf(object<BackupText>({ name: named, text: content }, 'a text'), MAX_TEXTS)
const account: FieldCheck = (value) => checkAccountName(value as never)
const manifestSha256 = text(/^[0-9a-f]{64}$/)

const checked = (of: string) =>
  fields<BackupCheck>(
    {
      place,
      manifestSha256,
      parts: optional(listOf(oneOf(...savedParts), savedParts.length)),
      into: optional(account),
    },
    of,
  )
const header = text(/^[^\0\r\n]*$/, 16_384)
const MAX_PATHS = 100
const MAX_DATABASES = 10_000
const database = text(NAME_PATTERN, MAX_DATABASE_NAME_LENGTH)
const target = object<DatabaseTarget>({ from: database, to: database, collation: oneOf(...collations) }, 'a database')
/** Base64; each segment is checked where it is used. */
const pathBelow = text(/^[A-Za-z0-9+/]+={0,2}$/, 8_192)

const restoredDatabases = fields<DatabasesRestore>(
  {
    place,
    manifestSha256,
    account,
    restore: text(patterns.id),
    databases: listOf(target, MAX_DATABASES),
    prefix: text(prefixPattern),
    formerPrefix: text(prefixPattern),
  },
  'restoreDatabases',
)

/** The input of each backup command, field by field. */
export const backupChecks = {
  backup: fields<BackupRequest>(
    {
      place,
      account,
      createdAt: complete(0, Number.MAX_SAFE_INTEGER),
      parts: listOf(oneOf(...readParts), readParts.length),
      databases: optional(listOf(database, MAX_DATABASES)),
      texts,
    },
    'backup',
  ),
  checkBackup: checked('checkBackup'),
  readBackup: checked('readBackup'),
  openBackup: fields<BackupDownload>(
    {
      place,
      manifestSha256,
      part: optional(oneOf(...savedParts)),
      range: optional(header),
      ifRange: optional(header),
    },
    'openBackup',
  ),
  restorePart: fields<PartRestore>(
    {
      place,
      manifestSha256,
      account,
      restore: text(patterns.id),
      part: oneOf(...readParts),
      paths: optional(listOf(pathBelow, MAX_PATHS)),
      to: optional(pathBelow),
      domain: optional(object<Renamed>({ from: text(patterns.domain), to: text(patterns.domain) }, 'a renamed domain')),
    },
    'restorePart',
  ),
  restoreDatabases: (request: Required<DatabasesRestore>): void => {
    restoredDatabases(request)
    const { databases, prefix } = request
    if (databases.every(({ to }) => to.startsWith(prefix))) return
    throw new HostError('stage', "A database name does not begin with the account's prefix; nothing was restored.")
  },
  validatePlace: fields<Pick<Destination, 'path'>>({ path: optional(path) }, 'validatePlace'),
  testPlace: fields<Destination>(where, 'testPlace'),
  removeBackup: fields<{ place: BackupPlace }>({ place }, 'removeBackup'),
}
