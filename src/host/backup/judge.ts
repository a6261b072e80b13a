import { longestDomain, plainPath } from '../../shared/patterns.ts'
import type {
  BackupCheck,
  BackupDownload,
  BackupOrder,
  BackupPlace,
  BackupText,
  Destination,
  PartRestore,
  Renamed,
} from '../backups.ts'
import { readParts, savedParts } from '../backups.ts'
import { checkAccountName } from '../check.ts'
import { type FieldCheck, fields, listOf, object, oneOf, optional, patterns, text, whole } from '../fields.ts'
import { checkRepository } from './judge-repository.ts'

const domain = patterns.domain.source.slice(1, -1)
const longestPath = 1_024
const mostTexts = 10_001

const path = text(plainPath, longestPath)
const where = { path: optional(path), repository: optional(checkRepository) }
const place = object<BackupPlace>(
  { account: text(patterns.id), backup: text(patterns.id), ...where },
  'a place of backups',
)
const content: FieldCheck = (value, field) => text(/^[^\0]*$/, Number.MAX_SAFE_INTEGER)(value, field)
const named = text(new RegExp(`^(?:account\\.json|dns/${domain}\\.zone)$`), longestDomain + 'dns/.zone'.length)
const texts = listOf(object<BackupText>({ name: named, text: content }, 'a text'), mostTexts)
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
const mostPaths = 100
/** In base64; that it leads nowhere else is judged part by part where it is used. */
const pathBelow = text(/^[A-Za-z0-9+/]+={0,2}$/, 8_192)

/** What is told of each command about backups, field by field. */
export const backupChecks = {
  backup: fields<BackupOrder>(
    {
      place,
      account,
      createdAt: whole(0, Number.MAX_SAFE_INTEGER),
      parts: listOf(oneOf(...readParts), readParts.length),
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
      paths: optional(listOf(pathBelow, mostPaths)),
      to: optional(pathBelow),
      domain: optional(object<Renamed>({ from: text(patterns.domain), to: text(patterns.domain) }, 'a renamed domain')),
    },
    'restorePart',
  ),
  judgePlace: fields<Pick<Destination, 'path'>>({ path: optional(path) }, 'judgePlace'),
  testPlace: fields<Destination>(where, 'testPlace'),
  removeBackup: fields<{ place: BackupPlace }>({ place }, 'removeBackup'),
}
