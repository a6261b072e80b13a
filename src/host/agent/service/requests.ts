import { appChecks } from '../../apps/validate.ts'
import { backupChecks } from '../../backup/validate.ts'
import { checkAccount, checkAccountName, checkBelongings, checkServer } from '../../contract/check.ts'
import type { Revision } from '../../contract/client.ts'
import type {
  AccountName,
  CronCommand,
  ProgramRequest,
  RotateRequest,
  SiteLog,
  TrafficRequest,
  VisitsRequest,
} from '../../contract/driver.ts'
import { HostError } from '../../contract/error.ts'
import {
  complete,
  type FieldCheck,
  fields,
  knowsAll,
  listOf,
  object,
  oneOf,
  optional,
  patterns,
  text,
  yesOrNo,
} from '../../contract/fields.ts'
import { trafficLogs } from '../../contract/logs.ts'
import { programNames } from '../../contract/programs.ts'
import { shellLine } from '../../parts/apps.ts'
import { checkServed } from '../../parts/dns/check.ts'
import { parts } from '../../parts/index.ts'
import { mailboxAddress } from '../../parts/mail/state.ts'
import { checkPrimary } from '../../parts/server/primary.ts'
import { checkServerState } from '../../parts/server/state.ts'
import { siteFile } from '../../parts/web/state.ts'
import type { Frame } from '../protocol/frames.ts'
import type { Command, CommandName, Inputs } from '../protocol/messages.ts'
import { checkInput, place } from './file-requests.ts'

const day = text(/^\d{4}-\d{2}-\d{2}$/)
const range = { first: day, last: day, maxBytes: complete(1, 2 ** 30) }
const maxSites = 1_000
const account: FieldCheck = (value) => checkAccountName(value as AccountName)
const site = object<SiteLog>({ account, file: siteFile, since: optional(place) }, 'a log')
const salt = object<VisitsRequest['salts'][number]>({ day, salt: text(/^[0-9a-f]{32}$/) }, 'a salt')

/** The input of each log command. */
const logChecks = {
  traffic: fields<TrafficRequest>({ ...range, log: oneOf(...trafficLogs), since: optional(place) }, 'traffic'),
  visits: fields<VisitsRequest>({ ...range, sites: listOf(site, maxSites), salts: listOf(salt, 100) }, 'visits'),
  rotateLogs: fields<RotateRequest>({ day, keepFrom: day }, 'a rotation'),
}

const MAX_INTEGER = Number.MAX_SAFE_INTEGER
const maxAccounts = 1000
export const areaNames: readonly string[] = parts.map(({ name }) => name)

const a =
  (check: (value: never) => void): FieldCheck =>
  (value) =>
    check(value as never)

const order = a(fields<Revision>({ epoch: complete(1, MAX_INTEGER), generation: complete(0, MAX_INTEGER) }, 'an order'))
const areas = listOf((value) => knowsAll([String(value)], areaNames, 'part of an account'), areaNames.length)

const ticket = text(/^[0-9a-f]{32}$/)
const checkFiles = fields<Inputs['files']>(
  { account: a(checkAccountName), verb: text(/^[A-Za-z]{1,32}$/), input: () => {} },
  'files',
)
const maxSeconds = 86_400

/** The input of each command, field by field. */
const checks: { readonly [Name in CommandName]: (input: Required<Inputs[Name]>) => void } = {
  apply: fields({ order, server: a(checkServer), account: a(checkAccount), areas: optional(areas) }, 'apply'),
  remove: fields({ order, account: a(checkAccountName), belongings: optional(a(checkBelongings)) }, 'remove'),
  applyServer: checkServerState,
  serveZones: fields({ served: listOf(a(checkServed), maxAccounts) }, 'serveZones'),
  diffZones: fields({ served: listOf(a(checkServed), maxAccounts) }, 'diffZones'),
  followPrimary: fields({ primary: optional(a(checkPrimary)) }, 'followPrimary'),
  room: fields({}, 'room'),
  diff: fields(
    { server: a(checkServer), account: optional(a(checkAccount)), state: optional(a(checkServerState)) },
    'diff',
  ),
  inspect: fields({}, 'inspect'),
  verify: fields({ server: a(checkServer), account: a(checkAccount) }, 'verify'),
  usage: fields({ accounts: listOf(a(checkAccountName), maxAccounts) }, 'usage'),
  listAccounts: fields({ ids: optional(listOf(text(/^[0-9A-Z]{26}$/), maxAccounts)) }, 'listAccounts'),
  files: (input) => {
    checkFiles(input)
    checkInput(input.verb, input.input)
  },
  commit: fields({ ticket, bytes: complete(0, MAX_INTEGER) }, 'commit'),
  discard: fields({ ticket }, 'discard'),
  ...backupChecks,
  ...appChecks,
  hostTrash: fields({ measured: yesOrNo }, 'hostTrash'),
  emptyHostTrash: fields({ before: complete(0, MAX_INTEGER) }, 'emptyHostTrash'),
  ...logChecks,
  openProgram: fields<ProgramRequest>(
    { account: a(checkAccountName), program: oneOf(...programNames), mailbox: optional(mailboxAddress) },
    'a link into a program',
  ),
  ftpSessions: fields({}, 'ftpSessions'),
  refusedDomains: fields({}, 'refusedDomains'),
  awaitCron: fields({ account: a(checkAccountName), run: text(patterns.id) }, 'a run of cron'),
  runCron: fields<CronCommand>(
    {
      account: a(checkAccountName),
      run: text(patterns.id),
      command: shellLine,
      timeoutS: complete(1, maxSeconds),
      mailTo: optional(text(patterns.email)),
    },
    'a cron command',
  ),
}

export const commandNames = Object.keys(checks) as readonly CommandName[]

const fieldNames = ['type', 'id', 'node', 'command', 'input']

/** Parses a frame's command. A command with any unknown field is refused as a whole. */
export function readCommand(frame: Frame, node: string): Command {
  const command = frame as unknown as Command
  knowsAll([String(command.command)], commandNames, 'command')
  knowsAll(Object.keys(frame), fieldNames, 'field of a command')
  if (command.node !== node) throw new HostError('stage', `This is the host ${node}, but the command is for another.`)
  checks[command.command](command.input as never)
  return command
}
