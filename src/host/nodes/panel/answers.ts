import { day as oneDay } from '../../../shared/time.ts'
import type { PendingCommand } from '../../agent/client/link.ts'
import { MAX_FRAME_BYTES } from '../../agent/protocol/frames.ts'
import type { CommandName, Inputs } from '../../agent/protocol/messages.ts'
import { fileErrors, savedParts, type VisitDay, type Visits } from '../../contract/driver.ts'
import { MAX_RANKED, MAX_RANKED_LENGTH } from '../../contract/logs.ts'
import { committed, isFileAnswer, ticket } from './file-answers.ts'
import {
  count,
  either,
  exactly,
  fields,
  flag,
  list,
  maybe,
  named,
  none,
  oneOf,
  plain,
  type Shape,
  text,
} from './shape.ts'

/** Whether a text is a day of the calendar, `2031-12-31`. */
function isDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** A node has a user id for each account, from 20000 to 59999; few accounts have more than one app. */
const MAX_ACCOUNTS = 40_000

const name = text(255)
const sentence = text(20_000)
const sentences = list(sentence, 10_000)
const id = text(64)

const databases = maybe(list(fields({ name, bytes: count }), 10_000))
const mailboxes = maybe(list(fields({ domain: name, local: name, bytes: count, messages: count })))
const sizes = { diskMb: count, inodes: count, cpuMs: maybe(count), memoryMb: maybe(count), sentThisHour: maybe(count) }
const usage = fields({ id, ...sizes, atLeast: maybe(flag), databases, mailboxes })

const hostAccount = fields({ id, username: maybe(name), uid: maybe(count) })

const status = oneOf('stopped', 'starting', 'running', 'crashed')
const app = fields({ id, status, reason: maybe(sentence), release: maybe(count) })

const next = fields({ file: name, offset: count })
/** In the access log's shortest line. */
const MIN_LINE_BYTES = 64
const ranking = list(
  (entry) => Array.isArray(entry) && entry.length === 2 && text(MAX_RANKED_LENGTH)(entry[0]) && count(entry[1]),
  MAX_RANKED,
)
const numbers = { requests: count, bytes: count, bots: count }
const rankings = { paths: ranking, referrers: ranking, statuses: ranking }
const hashes = list(exactly(/^[0-9a-f]{16}$/))

/** A day of the calendar that was requested. */
const dayIn =
  ({ first, last }: Days): Shape =>
  (value) =>
    text(10)(value) && first <= (value as string) && (value as string) <= last && isDay(value as string)

/** Each day once. */
const daysIn =
  (days: Days): Shape =>
  (value) =>
    list(
      fields({ day: dayIn(days), ...numbers, visitors: hashes, ...rankings }),
      (Date.parse(days.last) - Date.parse(days.first)) / oneDay + 1,
    )(value) && areDistinct((value as VisitDay[]).map(({ day }) => day))

const areDistinct = (values: readonly string[]): boolean => new Set(values).size === values.length

/** Of all sites together: as many as there are lines in what was to be read. */
const hasVisitors =
  (max: number): Shape =>
  (value) =>
    (value as Visits[]).reduce((sum, { days }) => sum + visitorsIn(days), 0) <= max

const visitorsIn = (days: readonly VisitDay[]): number => days.reduce((sum, { visitors }) => sum + visitors.length, 0)

const isVisits = ({ sites, maxBytes: max, ...days }: Inputs['visits']): Shape => {
  const each = ofLength(fields({ next, more: flag, days: daysIn(days) }), sites.length)
  return (value) => each(value) && hasVisitors(max / MIN_LINE_BYTES)(value)
}

const isTraffic = (days: Inputs['traffic']): Shape =>
  fields({ next, more: flag, transfers: list(fields({ day: dayIn(days), name, received: count, sent: count })) })

const warning = fields({ kind: name, account: id, object: maybe(id), message: sentence })
const change = oneOf('missing', 'changed', 'surplus', 'mode', 'moved', 'fault')
const difference = { path: text(8192), change, diff: maybe(text(2 ** 22)), note: maybe(sentence) }

const sum = exactly(/^[0-9a-f]{64}$/)
const some = { files: maybe(count), bytes: maybe(count), warnings: maybe(sentences), error: maybe(sentence) }
const savedPart = fields({ part: oneOf(...savedParts), status: oneOf('ok', 'absent', 'failed'), ...some })
const saved = { parts: list(savedPart, savedParts.length), texts: named(count, 100_000), sizeBytes: count }
const backupBytes = { size: count, start: count, length: count, partial: flag, sha256: maybe(sum) }

const ended = { exitCode: maybe(Number.isSafeInteger), signal: maybe(name), timedOut: flag }
const deployed = { commit: maybe(plain(100)), sizeBytes: count, root: text(4096), port: maybe(count) }
const trashed = fields({ id: exactly(/^[0-9A-Z]{26}$/), path: text(8192), size: count, deletedAt: count })
const session = fields({ login: name, address: name, protocol: oneOf('ftp', 'ftps', 'sftp'), since: count })

const service = fields({ name, unit: maybe(name), state: maybe(name), version: maybe(name) })
const unenforced = fields({ kind: oneOf('cpu', 'memory', 'tasks', 'io', 'disk', 'inodes'), reason: sentence })
const machine = { system: name, services: list(service, 1000), unenforced: list(unenforced, 100) }
const changedFiles = fields({ changed: count })

const ranCommand = fields({ ...ended, output: text(2 ** 20), truncated: flag })

interface Days {
  readonly first: string
  readonly last: string
}

/** Those also checked against the request are below. */
type AnswerChecks = 'usage' | 'listAccounts' | 'visits' | 'traffic' | 'files'

const shapes: { readonly [Name in Exclude<CommandName, AnswerChecks>]: Shape } = {
  apply: fields({ areas: list(fields({ area: name, changed: count }), 100), warnings: list(warning, 1000) }),
  remove: none,
  applyServer: changedFiles,
  serveZones: changedFiles,
  followPrimary: changedFiles,
  room: fields({ diskFreeMb: maybe(count) }),
  diffZones: list(fields({ id, ...difference })),
  diff: list(fields(difference)),
  inspect: either(
    none,
    fields({
      ...machine,
      quota: oneOf('none', 'ext4', 'xfs', 'btrfs'),
      cgroup: (value) => [0, 1, 2].includes(value as number),
    }),
  ),
  verify: list(fields({ probe: text(2000), ok: flag, message: sentence })),
  commit: committed,
  discard: none,
  backup: fields({ ...saved, manifestSha256: sum }),
  checkBackup: fields({ damage: sentences, contentBytes: count, freeBytes: maybe(count) }),
  removeBackup: none,
  readBackup: fields({ texts: list(fields({ name: text(4096), text: text(2 ** 24) })) }),
  openBackup: fields({ ending: exactly(/^[a-z0-9.-]{1,100}$/), ...backupBytes, ticket }),
  validatePlace: none,
  testPlace: none,
  restorePart: none,
  restoreDatabases: fields({ warnings: sentences }),
  runCron: ranCommand,
  awaitCron: fields({ end: either(none, ranCommand) }),
  hostTrash: fields({ items: list(trashed) }),
  emptyHostTrash: fields({ removed: count }),
  deployApp: fields({ ...deployed, hostKey: maybe(plain(20_000)), warnings: sentences }),
  appStatus: fields({ at: name, items: list(app, MAX_ACCOUNTS) }),
  settleApp: app,
  restartApp: app,
  rotateLogs: none,
  openProgram: fields({ token: exactly(/^[\w-]{20,200}$/) }),
  ftpSessions: fields({ items: list(session, 10_000) }),
  refusedDomains: fields({ items: list(text(253), 1000) }),
}

const ofLength =
  (shape: Shape, length: number): Shape =>
  (value) =>
    list(shape)(value) && (value as unknown[]).length === length

function shapeOf({ command, input }: PendingCommand): Shape {
  if (command === 'usage') return list(usage, (input as Inputs['usage']).accounts.length)
  if (command === 'listAccounts')
    return list(hostAccount, (input as Inputs['listAccounts']).ids?.length ?? MAX_ACCOUNTS)
  if (command === 'visits') return isVisits(input as Inputs['visits'])
  if (command === 'traffic') return isTraffic(input as Inputs['traffic'])
  if (command === 'files') return (answer) => isFileAnswer(input as Inputs['files'], answer)
  return shapes[command]
}

/** Whether a node's answer fits the request: rounds over all nodes write it to the store. */
export const isAnswer = (request: PendingCommand, result: unknown): boolean => shapeOf(request)(result)

/** Of an answer that is no list or text of a tenant's. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** Answers whose size depends on how many accounts, files or visitors there are, or on a tenant's text. */
const large: ReadonlySet<CommandName> = new Set<CommandName>([
  'diffZones',
  'diff',
  'usage',
  'listAccounts',
  'backup',
  'checkBackup',
  'readBackup',
  'hostTrash',
  'runCron',
  'awaitCron',
  'appStatus',
  'traffic',
  'visits',
  'ftpSessions',
])
const largeVerbs: readonly string[] = ['list', 'listTrash', 'listLogs', 'tailLog', 'archive']

/** The largest answer that a node may give to a command. */
export function maxAnswerBytes({ command, input }: PendingCommand): number {
  const isLarge = command === 'files' ? largeVerbs.includes((input as Inputs['files']).verb) : large.has(command)
  return isLarge ? MAX_FRAME_BYTES : MAX_ANSWER_BYTES
}

/** Whether a command's outcome is well-formed. */
export const isOutcome: Shape = fields({
  status: oneOf('done', 'superseded', 'cancelled', 'unsupported', 'failed'),
  stage: maybe(oneOf('unsupported', 'stage', 'precheck', 'install', 'validate', 'remove')),
  message: maybe(sentence),
  fileError: maybe(fields({ code: oneOf(...fileErrors), field: maybe(name), size: maybe(count) })),
})

/** Whether a progress line is well-formed. */
export const isProgress = fields({ line: sentence, done: (value) => Number.isFinite(value) })
