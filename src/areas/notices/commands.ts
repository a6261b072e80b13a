import { type OperationId, operations } from '../../contract/index.ts'
import { type Declaration, isOfAccount } from '../../contract/operation.ts'
import { isSeen, quoted } from '../../shared/command-line/quote.ts'

/** What a notice or an alert is about. */
interface Subject {
  readonly kind: string
  readonly object: string
  readonly object_id: string
  readonly name: string
  readonly operation?: string | null | undefined
  readonly account_id?: string | null | undefined
  readonly username?: string | null | undefined
}

/** The reads that show each kind of object: of an account, and of the server. */
const shows: Readonly<Record<string, readonly [OperationId, OperationId?]>> = {
  account: ['getAccount'],
  domain: ['getDomain'],
  mailbox: ['getMailbox'],
  forwarder: ['getForwarder'],
  app: ['getApp'],
  backup: ['getBackup'],
  cron_job: ['getCronJob'],
  webhook: ['getWebhookForAccount', 'getWebhook'],
  job: ['getJobForAccount', 'getJob'],
  'alert-channel': ['getAlertChannelForAccount', 'getAlertChannel'],
  node: ['getNode', 'getNode'],
  server: ['getServerHealth', 'getServerHealth'],
}

/** Kinds that a command of the server itself shows. */
const localCommands: Readonly<Record<string, string>> = { 'replica-behind': 'panel replica status' }

/** Objects whose name is not unique: the command line takes their id. */
const byId: ReadonlySet<string> = new Set(['backup', 'cron_job', 'webhook', 'job'])

/** The command that shows a cause, and the one that resolves it. They contain no secrets, and no more than names. */
export function commandsOf(subject: Subject): { command: string; mend?: string } {
  const [own, ofServer] = shows[subject.object] ?? []
  const show = subject.account_id ? own : ofServer
  const line = localCommands[subject.kind] ?? (show && lineOf(operations[show], subject))
  const command = line ?? `panel notices list --kind ${subject.kind}`
  const resolving = resolvingCommand(subject)
  return { command, ...(resolving !== undefined && { mend: resolving }) }
}

/** A job's notice may name what to do again, for an object that the job's name does not tell. */
function resolvingCommand(subject: Subject): string | undefined {
  const op: Declaration | undefined = operations[subject.operation as OperationId]
  if (!op) return undefined
  const isElsewhere = subject.object === 'job' && takesName(op) && !op.path.includes('/jobs/')
  return isElsewhere ? undefined : lineOf(op, subject)
}

/** The parameters of its path besides the account. */
const membersOf = (op: Declaration): string[] =>
  (op.path.match(/\{\w+\}/g) ?? []).slice(isOfAccount(op) && op.path !== '/accounts/{id}' ? 1 : 0)

/** Whether the object is an argument: by the path, or as the command's own. */
const takesName = (op: Declaration): boolean => membersOf(op).length > 0 || (op.cli?.args ?? []).length > 0

function lineOf(op: Declaration, subject: Subject): string | undefined {
  if (!op.cli || (isOfAccount(op) && !subject.username)) return undefined
  const isAccount = op.path === '/accounts/{id}'
  const name = isAccount ? subject.username! : nameOf(subject)
  const words = [...op.cli.words, ...(takesName(op) ? [quoted(name)] : [])]
  const account = isOfAccount(op) && !isAccount ? ['-a', quoted(subject.username!)] : []
  return ['panel', ...words, ...account].join(' ')
}

/** A name with invisible characters, or one that looks like an option, is replaced by the id. */
const nameOf = ({ object, object_id, name }: Subject): string =>
  byId.has(object) || !isSeen(name) || name.startsWith('-') || name.length > 255 ? object_id : name
