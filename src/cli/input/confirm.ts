import { type CliError, declined, inputNeeded } from '../errors.ts'
import { again, type Invocation, textOption } from '../invocation.ts'
import type { Client } from '../request/client.ts'
import { labelOf } from '../request/naming.ts'
import { filledPath, type RequestInput } from '../request/plan.ts'
import { isIdLike } from '../request/resolve.ts'
import { type Field, type Operation, table } from '../table.ts'
import { canAsk, note, oneLine, writeError } from '../terminal.ts'
import { askText, askWhether } from './ask.ts'

/** Confirms irreversible operations. Returns the confirming name, if the server requires one. */
export async function confirm(
  invocation: Invocation,
  operation: Operation,
  client: Client,
  input: RequestInput,
): Promise<string | undefined> {
  if (operation.confirm === 'name') return confirmByName(invocation, operation, client, input)
  if (operation.confirm !== 'yes' || invocation.option('yes') || !isConfirmable(operation, input)) return undefined
  if (canAsk()) await showDifference(operation, client, input)
  if (canAsk() && operation.replaces) await printReplaced(operation.replaces, client, input)
  await confirmByYes(invocation, operation, client, input)
  return undefined
}

async function printReplaced(path: string, client: Client, { params, body }: RequestInput): Promise<void> {
  const answer = await client.call({ method: 'GET', path: filledPath(path, params) })
  const { linesOf } = await import('../run/restore-preview.ts')
  for (const line of linesOf(answer.body as Parameters<typeof linesOf>[0], body ?? {}, Date.now()))
    writeError(`${line}\n`)
}

const isConfirmable = ({ confirmWhen }: Operation, { body }: RequestInput): boolean =>
  !confirmWhen || body?.[confirmWhen.field] === confirmWhen.value

async function showDifference({ confirmWhen, fields }: Operation, client: Client, input: RequestInput): Promise<void> {
  const file = fields.find((field) => field.file)?.name
  if (!file || !confirmWhen?.differs) return
  const path = filledPath(confirmWhen.differs, input.params)
  const { body } = await client.call({ method: 'POST', path, body: { [file]: input.body?.[file] } })
  const { linesOf } = await import('./difference.ts')
  for (const line of linesOf(body as Parameters<typeof linesOf>[0])) note(line)
}

const changedField = ({ fields }: Operation): Field | undefined => fields.findLast(({ place }) => place === 'path')

const nounOf = (operation: Operation): string => {
  const field = changedField(operation)
  return table.collections[field?.ref ?? '']?.noun ?? (field?.option ?? operation.area).replaceAll('-', ' ')
}

/** What was typed for the object that is changed. */
function typedName({ command, positionals, option }: Invocation, operation: Operation): string {
  const { option: called = '' } = changedField(operation) ?? {}
  return positionals[command.args.indexOf(called)] ?? String(option(called) ?? '')
}

async function confirmByYes(
  invocation: Invocation,
  operation: Operation,
  client: Client,
  input: RequestInput,
): Promise<void> {
  if (!canAsk()) throw notConfirmed(invocation)
  const typed = typedName(invocation, operation)
  const label = (await describedObject(operation, client, input, typed)) ?? typed
  const question = operation.confirmWhen?.question.replace('{}', () => label) ?? sentenceOf(operation, label)
  if (!(await askWhether(`${oneLine(question)} on ${client.target.label}?`))) throw declined()
}

/** The object, as its read operation returns it; undefined if it does not exist. */
async function describedObject(
  operation: Operation,
  client: Client,
  { params }: RequestInput,
  typed: string,
): Promise<string | undefined> {
  const field = changedField(operation)
  const collection = table.collections[field?.ref ?? '']
  if (!field || (collection && !collection.type && !isIdLike(typed))) return undefined
  const path = operation.path.slice(0, operation.path.indexOf(`{${field.name}}`) + field.name.length + 2)
  const isRead = Object.values(table.operations).some((one) => one.method === 'GET' && one.path === path)
  const read = isRead
    ? await client.call({ method: 'GET', path: filledPath(path, params) }).catch(() => undefined)
    : undefined
  const label = read && labelOf(read.body)
  return label && !collection ? `${typed} (${label})` : label
}

/** `Delete a record` -> `Delete the record @ TXT "v=spf1 -all"`: the summary, about the one that is named. */
function sentenceOf(operation: Operation, label: string): string {
  if (label === '') return operation.summary
  const end = "(?='s|,| and | with | from |$)"
  const named = new RegExp(`\\ban? ((?:[\\w-]+ )*?${nounOf(operation)})${end}`)
  const any = new RegExp(`\\ban? ([\\w -]+?)${end}`)
  const plain = operation.summary.replace(/ that .*$/, '')
  const pattern = named.test(plain) ? named : any
  return plain.replace(pattern, (_article, noun: string) => `the ${noun} ${label}`)
}

const verbOf = ({ command }: Invocation): string => {
  const [verb = ''] = (command.words.at(-1) ?? '').split('-')
  return verb.charAt(0).toUpperCase() + verb.slice(1)
}

async function confirmByName(
  invocation: Invocation,
  operation: Operation,
  client: Client,
  input: RequestInput,
): Promise<string> {
  const typed = textOption(invocation, 'confirm')
  if (typed !== undefined) return typed
  if (!invocation.option('yes') && !canAsk()) throw notConfirmed(invocation)
  const subject = await subjectOf(operation, client, input)
  if (!invocation.option('yes')) await askName(invocation, operation, client, subject)
  return subject.name
}

interface Subject {
  readonly name: string
  readonly more: string
}

/** Reads the object from the path to be called. */
async function subjectOf(operation: Operation, client: Client, input: RequestInput): Promise<Subject> {
  const { body } = await client.call({ method: 'GET', path: filledPath(operation.path, input.params) })
  const object = body as Record<string, unknown>
  const ref = changedField(operation)?.ref ?? ''
  const { name: field = 'id', byPath } = table.collections[ref] ?? {}
  const name = String(object[byPath ? 'url' : field])
  const more = operation.columns.map((field) => object[field]).filter((value) => typeof value === 'string')
  return { name, more: more.filter((text) => text !== name).join(', ') }
}

async function askName(
  invocation: Invocation,
  operation: Operation,
  client: Client,
  { name, more }: Subject,
): Promise<void> {
  const what = `the ${nounOf(operation)} ${name}${more && ` (${more})`}`
  writeError(`${verbOf(invocation)} ${what} on ${client.target.label}, with everything in it.\n`)
  if ((await askText(`Type ${name} to confirm:`)).trim() !== name) throw declined()
}

const notConfirmed = (invocation: Invocation): CliError =>
  inputNeeded('A confirmation is needed', `to skip the question: ${again(invocation, '--yes')}`)
