import { curlLine } from '../../shared/command-line/curl.ts'
import { didYouMean } from '../../shared/similar.ts'
import { inputNeeded, usage } from '../errors.ts'
import { jsonObject } from '../input/collect.ts'
import { confirm } from '../input/confirm.ts'
import { clientOf, type Invocation, textOption } from '../invocation.ts'
import { printAnswer, printDocument } from '../output/document.ts'
import { gathered } from '../output/list.ts'
import { printTable } from '../output/print.ts'
import { viewWith } from '../output/view.ts'
import { type Answer, type Client, pathOf, type Request } from '../request/client.ts'
import { randomKey } from '../request/key.ts'
import { pagesOf } from '../request/list.ts'
import { filledPath } from '../request/plan.ts'
import { resolveId } from '../request/resolve.ts'
import { type Field, type Operation, table } from '../table.ts'
import type { ServerTarget } from '../target/target.ts'
import { data, note } from '../terminal.ts'

/** The request for curl, to the server that the command would use. */
const curl = (target: ServerTarget, request: Request): string =>
  curlLine({
    method: request.method,
    url: target.url.origin + pathOf(target, request),
    ...(request.body !== undefined && { body: request.body }),
    token: Boolean(target.token || target.session),
    ...(target.socket && { socket: target.socket }),
    ...(target.ca && { ca: target.ca }),
    ...(target.pin && { pin: target.pin }),
  })

/** Sends any request: an operation by its id, or a path. */
export async function run(invocation: Invocation): Promise<void> {
  if (invocation.option('list')) return printOperations(invocation)
  const [target] = invocation.positionals
  if (target === undefined) throw inputNeeded('Which operation?', 'panel api --list shows them')
  const client = clientOf(invocation)
  const operation = target.startsWith('/') ? undefined : operationCalled(target)
  const request = operation ? await operationRequest(invocation, client, operation) : pathRequest(invocation, target)
  if (invocation.option('curl')) return data(`${curl(client.target, request)}\n`)
  if (invocation.option('dry-run')) return printDocument(invocation.globals, plan(client, request))
  await send(invocation, client, request, operation ?? unknownOperation(request))
}

function printOperations(invocation: Invocation): Promise<void> {
  const rows = Object.values(table.operations).map(({ id, method, path, summary }) => ({ id, method, path, summary }))
  const columns = ['id', 'method', 'path', 'summary'].map((field) => ({ field }))
  return printTable(viewWith(invocation, columns), rows)
}

function operationCalled(id: string): Operation {
  const operation = table.operations[id]
  if (operation) return operation
  throw usage(`there is no operation ${id}`, didYouMean(id, Object.keys(table.operations)) ?? 'panel api --list')
}

type Pairs = ReadonlyMap<string, string>

function pairsOf(invocation: Invocation, option: string): Pairs {
  const provided = (invocation.option(option) ?? []) as readonly string[]
  return new Map(
    provided.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw usage(`--${option} takes key=value, not ${pair}`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

async function operationRequest(invocation: Invocation, client: Client, operation: Operation): Promise<Request> {
  const of = (place: Field['place']): readonly Field[] => operation.fields.filter((field) => field.place === place)
  const path = checked(operation, 'path', pairsOf(invocation, 'path'), of('path'))
  const query = checked(operation, 'query', pairsOf(invocation, 'query'), of('query'))
  const fields = checked(operation, 'field', pairsOf(invocation, 'field'), of('body'))
  const lacking = of('path').filter(({ name }) => !path.has(name))
  if (lacking.length > 0) throw inputNeeded('Input is needed', lacking.map(({ name }) => `--path ${name}=…`).join(' '))
  return {
    method: operation.method,
    path: await resolvedPath(client, operation, path),
    ...queryOf(query),
    ...bodyOf(invocation, fields, of('body')),
    ...keyOf(operation.keyed === true),
  }
}

const keyOf = (keyed: boolean): Pick<Request, 'headers'> =>
  keyed ? { headers: { 'idempotency-key': randomKey() } } : {}

const queryOf = (pairs: Pairs): Pick<Request, 'query'> => (pairs.size > 0 ? { query: Object.fromEntries(pairs) } : {})

function checked(operation: Operation, option: string, pairs: Pairs, fields: readonly Field[]): Pairs {
  const names = fields.map(({ name }) => name)
  for (const name of pairs.keys()) {
    if (names.includes(name) || fields.some((field) => field.name.startsWith(`${name}.`))) continue
    const known = names.length > 0 ? `it takes ${names.join(', ')}` : `it takes none`
    throw usage(`${operation.id} has no --${option} ${name}`, didYouMean(name, names) ?? known)
  }
  return pairs
}

async function resolvedPath(client: Client, operation: Operation, pairs: Pairs): Promise<string> {
  const params: Record<string, string> = {}
  for (const { name, ref } of operation.fields.filter(({ place }) => place === 'path')) {
    const provided = pairs.get(name) ?? ''
    params[name] = ref ? await resolveId(client, ref, filledPath(ref, params), provided) : provided
  }
  return filledPath(operation.path, params)
}

/** A path has no schema: inputs are sent as they are. */
function pathRequest(invocation: Invocation, path: string): Request {
  const body = bodyOf(invocation, pairsOf(invocation, 'field'), [])
  const method = (textOption(invocation, 'method') ?? (body.body === undefined ? 'GET' : 'POST')).toUpperCase()
  const params = Object.fromEntries(pairsOf(invocation, 'path'))
  return {
    method,
    path: filledPath(path.replace(/^\/api\/v1(?=\/)/, ''), params),
    ...queryOf(pairsOf(invocation, 'query')),
    ...body,
  }
}

function bodyOf(invocation: Invocation, pairs: Pairs, fields: readonly Field[]): Pick<Request, 'body'> {
  const provided = textOption(invocation, 'data')
  if (provided === undefined && pairs.size === 0) return {}
  const body: Record<string, unknown> = provided === undefined ? {} : jsonObject(provided)
  for (const [name, text] of pairs) body[name] = bodyValue(name, text, fields)
  return { body }
}

/** Parsed as JSON if it is valid and no text is expected; text otherwise. */
function bodyValue(name: string, text: string, fields: readonly Field[]): unknown {
  const field = fields.find((one) => one.name === name)
  if (field?.secret || /password|secret/.test(name))
    throw usage(`${name} is secret: others on this machine could read it`, 'use --data @file or --data -')
  if (field?.type === 'string' && !field.array && !field.nullable) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A minimal operation for a path, enough to confirm a deletion. */
const unknownOperation = ({ method, path }: Request): Operation => ({
  id: '',
  method: method as Operation['method'],
  path,
  area: path,
  summary: '',
  fields: [],
  columns: [],
  ...(method === 'DELETE' && { confirm: 'yes' as const }),
})

async function send(invocation: Invocation, client: Client, request: Request, operation: Operation): Promise<void> {
  if (operation.confirm === 'yes')
    await confirm(invocation, operation, client, { params: {}, query: {}, body: undefined })
  const view = viewWith(invocation)
  if (invocation.option('all')) {
    const { items } = await gathered(pagesOf(operation, client, request, Number.POSITIVE_INFINITY))
    return printAnswer(view, items)
  }
  const answer = await client.call(request)
  if (invocation.option('include')) showHead(answer)
  if (answer.body !== undefined) await printAnswer(view, answer.body)
}

function showHead({ status, headers }: Answer): void {
  note(`HTTP ${status}`)
  for (const [name, value] of Object.entries(headers)) note(`${name}: ${value}`)
}

const plan = ({ target }: Client, request: Request): object => ({
  method: request.method,
  path: pathOf(target, request),
  ...(request.body !== undefined && { body: request.body }),
})
