import { appChecks } from '../../apps/judge.ts'
import { backupChecks } from '../../backup/judge.ts'
import { checkAccount, checkAccountName, checkBelongings, checkServer } from '../../check.ts'
import type { Order } from '../../client.ts'
import type { CronCommand, ProgramOrder } from '../../driver.ts'
import { HostError } from '../../error.ts'
import {
  type FieldCheck,
  fields,
  knowsAll,
  listOf,
  oneOf,
  optional,
  patterns,
  text,
  whole,
  yesOrNo,
} from '../../fields.ts'
import { shellLine } from '../../parts/apps.ts'
import { checkServed } from '../../parts/dns/check.ts'
import { parts } from '../../parts/index.ts'
import { mailboxAddress } from '../../parts/mail/state.ts'
import { checkPrimary } from '../../parts/server/primary.ts'
import { checkServerState } from '../../parts/server/state.ts'
import { programNames } from '../../programs.ts'
import type { Frame } from '../protocol/frames.ts'
import type { Command, CommandName, Inputs } from '../protocol/messages.ts'
import { checkTold } from './file-requests.ts'
import { logChecks } from './log-requests.ts'

const most = Number.MAX_SAFE_INTEGER
const maxAccounts = 1000
export const areaNames: readonly string[] = parts.map(({ name }) => name)

const a =
  (check: (value: never) => void): FieldCheck =>
  (value) =>
    check(value as never)

const order = a(fields<Order>({ epoch: whole(1, most), generation: whole(0, most) }, 'an order'))
const areas = listOf((value) => knowsAll([String(value)], areaNames, 'part of an account'), areaNames.length)

const ticket = text(/^[0-9a-f]{32}$/)
const checkFiles = fields<Inputs['files']>(
  { account: a(checkAccountName), verb: text(/^[A-Za-z]{1,32}$/), told: () => {} },
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
  held: fields({ ids: optional(listOf(text(/^[0-9A-Z]{26}$/), maxAccounts)) }, 'held'),
  files: (input) => {
    checkFiles(input)
    checkTold(input.verb, input.told)
  },
  commit: fields({ ticket, bytes: whole(0, most) }, 'commit'),
  discard: fields({ ticket }, 'discard'),
  ...backupChecks,
  ...appChecks,
  hostTrash: fields({ measured: yesOrNo }, 'hostTrash'),
  emptyHostTrash: fields({ before: whole(0, most) }, 'emptyHostTrash'),
  ...logChecks,
  openProgram: fields<ProgramOrder>(
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
      timeoutS: whole(1, maxSeconds),
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
