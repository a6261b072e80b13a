import { readFileSync } from 'node:fs'
import { exit } from '../../shared/exit.ts'
import { isNewestFirst } from '../../shared/newest-first.ts'
import { textOfBytes } from '../../shared/pem-file.ts'
import { reasonOf } from '../../shared/system-error.ts'
import { CliError, inputNeeded, usage } from '../errors.ts'
import { type Invocation, textOption, typedField } from '../invocation.ts'
import type { Client } from '../request/client.ts'
import { filledPath, type RequestInput, setAt } from '../request/plan.ts'
import type { Field, Operation } from '../table.ts'
import { canAsk, note } from '../terminal.ts'
import { implyAccount } from './implied-account.ts'
import { pemInput } from './pem-file.ts'
import { isNeeded, refuseAsArgument, secretOf } from './secrets.ts'
import { readStandardInput } from './standard-input.ts'
import { sentForm, type Typed, type Values, withoutCommas } from './values.ts'

/** Collects an operation's input: arguments, options, `--data`, then prompts; resolves names to ids. */
export async function inputOf(invocation: Invocation, operation: Operation, client: Client): Promise<RequestInput> {
  const data = dataOf(invocation, operation)
  const values = typedValues(invocation, operation)
  await implyAccount(invocation, operation, client, values)
  const input: RequestInput = { params: {}, query: {}, body: operation.hasBody ? { ...data } : undefined }
  const missingFields = missing(operation, values, data)
  if (missingFields.length > 0 && !canAsk()) throw missingInput(missingFields)
  if (missingFields.length > 0) nameServer(client)
  for (const field of operation.fields) {
    const typed = values.get(field) ?? (missingFields.includes(field) ? await askFor(client, field, input) : undefined)
    if (typed !== undefined) place(input, field, await sentValue(invocation, client, field, typed, input))
  }
  const { implies } = operation
  if (implies && input.body && (input.body[implies.field] ?? undefined) !== undefined)
    input.body[implies.sets] ??= implies.to
  if (isNewestFirst(operation, input.query)) input.query['order'] ??= 'desc'
  await addSecrets(invocation, operation, { input, data, client })
  if (operation.pem) await (await import('./locked-files.ts')).openLocked(invocation, operation.pem, input)
  return input
}

const named = new WeakSet<Client>()

/** Prints the server's name once, before the first prompt. */
function nameServer(client: Client): void {
  if (!named.has(client)) note(`On ${client.target.label}:`)
  named.add(client)
}

function missingInput(fields: readonly Field[]): CliError {
  const messages = fields.map((field) => [field.name, `required: ${field.description}`])
  const options = fields.map((field) => `--${field.option}`).join(', ')
  return inputNeeded('Input is needed', `give ${options}`, Object.fromEntries(messages))
}

function typedValues(invocation: Invocation, operation: Operation): Values {
  const values: Values = new Map()
  for (const field of operation.fields) {
    if (field.secret) refuseAsArgument(field, invocation.option)
    const typed = typedFor(invocation, field, placesOf(invocation, operation)) ?? invocation.command.sets?.[field.name]
    if (typed !== undefined) values.set(field, typed)
  }
  addPreset(invocation, operation, values)
  refuseForeign(invocation, operation)
  return values
}

/** `--for whm` fills in the scopes. */
function addPreset(invocation: Invocation, { preset, fields }: Operation, values: Values): void {
  const use = preset && textOption(invocation, preset.option)
  if (use === undefined) return
  for (const [name, value] of Object.entries(preset!.values[use] ?? {})) {
    const field = fields.find((one) => one.name === name)!
    if (values.has(field)) throw usage(`--${field.option} does not go together with --${preset!.option}`)
    values.set(field, [...value])
  }
}

/** The arguments that are given by place: not the list of paths that are named one by one. */
const placesOf = ({ command, option }: Invocation, { fields }: Operation): readonly string[] =>
  command.args.filter((name) => {
    const single = fields.find((field) => field.option === name)?.single
    return single === undefined || option(single) === undefined
  })

function typedFor({ positionals, option }: Invocation, field: Field, places: readonly string[]): Typed | undefined {
  const byPlace = positionals[places.indexOf(field.option)]
  if (field.secret || field.internal) return undefined
  const byOption =
    (field.single ? pathsIn(field.option, field.single, option) : undefined) ??
    ((option(field.option) ?? (field.alias ? option(field.alias) : undefined)) as Typed | undefined)
  if (byPlace !== undefined && byOption !== undefined)
    throw usage(`${field.option} is given twice: ${byPlace} and --${field.option}`)
  const typed = byPlace ?? byOption
  if (typeof typed !== 'string') return typed
  if (field.pem) return pemInput(field.option, typed)
  return field.file ? contentOf(typed) : typed
}

/** Paths named one by one: by the option for one, or where the option for several is repeated. */
function pathsIn(list: string, single: string, option: Invocation['option']): readonly string[] | undefined {
  const [lists, paths] = [option(list), option(single)] as (readonly string[] | undefined)[]
  if (!paths) return lists && lists.length > 1 ? lists.map(withoutCommas) : undefined
  return [...(lists ?? []), ...paths.map(withoutCommas)]
}

function contentOf(path: string): string {
  try {
    return path === '-' ? readStandardInput() : textOfBytes(readFileSync(path))
  } catch (error) {
    throw usage(`${path}: ${reasonOf(error)}`)
  }
}

/** A variant does not accept all options of the plain operation. */
function refuseForeign({ command, option }: Invocation, operation: Operation): void {
  if (!command.variant || operation.id !== command.variant) return
  const own = new Set(operation.fields.map((field) => field.option))
  if (option('account-id') !== undefined && !own.has('account-id'))
    throw usage('--account-id and --account cannot be combined')
}

const at = (data: unknown, name: string): unknown =>
  name.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], data)

const missing = (operation: Operation, values: Values, data: object): Field[] =>
  operation.fields.filter((field) => {
    if (!field.required || field.secret || values.has(field)) return false
    return field.place !== 'body' || at(data, field.name) === undefined
  })

async function askFor(client: Client, field: Field, { params }: RequestInput): Promise<string> {
  const { askField } = await import('./ask.ts')
  return askField(client, field, field.ref && filledPath(field.ref, params))
}

async function sentValue(
  invocation: Invocation,
  client: Client,
  field: Field,
  typed: Typed,
  { params }: RequestInput,
): Promise<unknown> {
  const value = sentForm(typedField(invocation, field), typed)
  if (typeof value !== 'string' || !(field.ref || field.offers)) return value
  const { resolveId, resolveListed } = await import('../request/resolve.ts')
  const found = field.ref
    ? resolveId(client, field.ref, filledPath(field.ref, params), value)
    : resolveListed(client, field.option, filledPath(field.offers ?? '', params), value)
  return invocation.option('dry-run') ? found.catch((error) => nameIfUnreachable(error, value)) : found
}

/** If the server is unreachable, `--dry-run` shows the name instead of the id. */
function nameIfUnreachable(error: unknown, name: string): string {
  if (error instanceof CliError && error.exit === exit.network) return name
  throw error
}

function place(input: RequestInput, field: Field, value: unknown): void {
  if (field.place === 'path') input.params[field.name] = String(value)
  else if (field.place === 'bytes') input.file = String(value)
  else if (field.place === 'query') input.query[field.name] = Array.isArray(value) ? value.join(',') : (value as string)
  else if (input.body) setAt(input.body, field.name, value)
}

interface Collected {
  readonly input: RequestInput
  readonly data: object
  readonly client: Client
}

async function addSecrets(
  invocation: Invocation,
  operation: Operation,
  { input, data, client }: Collected,
): Promise<void> {
  for (const declared of operation.fields.filter((one) => one.secret)) {
    const field = isNeeded(declared, client) ? { ...declared, required: true as const } : declared
    if (at(data, field.name) !== undefined) continue
    const secret = invocation.option('dry-run')
      ? plannedSecret(invocation, field)
      : await secretOf(field, invocation.option, () => nameServer(client))
    if (secret !== undefined) place(input, field, secret)
  }
}

/** `--dry-run` shows that a secret would be sent, but not its value. */
function plannedSecret({ option }: Invocation, field: Field): string | undefined {
  const sources = [field.option, `${field.option}-stdin`, `${field.option}-file`, field.fileOption ?? field.option]
  return field.required || sources.some((source) => option(source)) ? '[secret]' : undefined
}

function dataOf(invocation: Invocation, operation: Operation): Record<string, unknown> {
  const provided = operation.hasBody ? invocation.option('data') : undefined
  return typeof provided === 'string' ? jsonObject(provided) : {}
}

/** The JSON object in an option: inline, `@file`, or `-` for standard input. */
export function jsonObject(provided: string): Record<string, unknown> {
  const value = parsed(textOf(provided))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw usage('--data must be a JSON object')
  return value as Record<string, unknown>
}

function textOf(provided: string): string {
  if (provided === '-') return readStandardInput()
  if (!provided.startsWith('@')) return provided
  try {
    return readFileSync(provided.slice(1), 'utf8')
  } catch (error) {
    throw usage(`${provided.slice(1)}: ${reasonOf(error)}`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usage('--data is not JSON')
  }
}
