import { z } from 'zod'
import { ownCommands, secretSummary, serviceSummary } from '../cli/commands/declared/index.ts'
import { replicaSummary } from '../cli/commands/declared/replica.ts'
import { contextSummary } from '../cli/commands/declared/servers.ts'
import { isColumn } from '../cli/output/shape.ts'
import type { Collection, Column, Command, Field, Operation, Table } from '../cli/table.ts'
import { areas } from '../contract/areas.ts'
import { eventTypes } from '../contract/events.ts'
import { operationList } from '../contract/index.ts'
import { propertyOf, type Schema, schemaOf, variants } from '../contract/json-schema.ts'
import { uniqueLists } from '../contract/lookup.ts'
import type { Declaration } from '../contract/operation.ts'
import { problems } from '../contract/problem.ts'
import { fieldsOf, type Lists, pathParameters } from './fields.ts'
import { memberOf } from './names.ts'

/** What a member of a collection is called by, the first that it has. */
const naming = ['username', 'name', 'login', 'address', 'host', 'domain', 'email', 'url', 'number']

/** The `Count` of the contract: where it may be absent, absent means unlimited. */
const MAX_COUNT = 1_000_000_000

const answerOf = (declaration: Declaration): Schema =>
  declaration.answer ? schemaOf(declaration.answer, 'output') : {}

const itemOf = (answer: Schema): Schema | undefined => answer.properties?.['items']?.items

const isList = (declaration: Declaration): boolean =>
  declaration.method === 'get' && itemOf(answerOf(declaration))?.properties?.['id'] !== undefined

/** Path of each list to how its members are called. */
const collections = (declared: readonly Declaration[]): Record<string, Collection> =>
  Object.fromEntries(declared.flatMap(collectionEntry))

/** Lists whose members may become an account, and are called by its username. */
const futureAccounts = new Set(['/imports'])

/** What belongs to an account bears its username beside its id: that does not name it. */
const isName = (path: string, field: string, item: Schema | undefined): boolean => {
  const { properties = {} } = item ?? {}
  const isOfAccount = field === 'username' && properties['account_id'] && !futureAccounts.has(path)
  // With a name beside it, a user name is whom to sign in as.
  const isSignIn = field === 'username' && properties['name'] !== undefined
  return properties[field] !== undefined && !isOfAccount && !isSignIn
}

/** Lists whose members share names and differ by their `type`. */
const typedLists = new Set(['/accounts/{id}/dns/zones/{zid}/records'])

/** Lists whose members are at a domain and a path below it. */
const pathLists = new Set(['/accounts/{id}/wordpress'])

function collectionEntry(declaration: Declaration): [string, Collection][] {
  const item = declaration.method === 'get' ? itemOf(answerOf(declaration)) : undefined
  const name = naming.find((field) => isName(declaration.path, field, item))
  if (!item?.properties?.['id'] || !name) return []
  const query = declaration.query?.shape ?? {}
  const kind = uniqueLists[declaration.path]
  const collection: Collection = {
    name,
    noun: memberOf(declaration.path).replaceAll('-', ' '),
    ...(typedLists.has(declaration.path) && { type: true as const }),
    ...(pathLists.has(declaration.path) && { byPath: true as const }),
    ...('q' in query && { searched: true as const }),
    ...('page' in query && { paged: true as const }),
    ...(kind && { kind }),
  }
  return [[declaration.path, collection]]
}

function listKind(declaration: Declaration): Operation['list'] {
  const answer = answerOf(declaration)
  if (declaration.method !== 'get' || !itemOf(answer) || declaration.cli?.follow || declaration.cli?.rows)
    return undefined
  if (declaration.query?.shape['page']) return 'pages'
  if (declaration.query?.shape['cursor']) return 'marked'
  if (!declaration.query?.shape['after'] || !answer.properties?.['next']) return 'complete'
  return declaration.query.shape['order'] ? 'cursor' : 'after'
}

/** What a row or a card is made of. */
function displayedSchema({ cli, ...declaration }: Declaration): Schema {
  const answer = answerOf(declaration)
  const item = itemOf(answer)
  if (item) return item
  const displayed = cli?.show ? (propertyOf(answer, cli.show) ?? {}) : answer
  return (cli?.rows ? propertyOf(displayed, cli.rows)?.items : displayed.items) ?? displayed
}

/** A column of its own says what a change changed. */
const changesIn = ({ properties = {} }: Schema): Column[] =>
  properties['before'] && properties['after'] ? [{ field: 'changes', kind: 'changes' }] : []

/** Every field of an answer that a column can show, objects taken apart. */
function shapeOf(schema: Schema, prefix = ''): Column[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]): Column[] => {
    const [only, ...others] = variants(property)
    if (only?.properties && others.length === 0) return shapeOf(only, `${prefix}${name}.`)
    const kind = kindOf(name, property, !schema.required?.includes(name))
    return [{ field: prefix + name, ...(kind && { kind }) }]
  })
}

function kindOf(name: string, schema: Schema, optional: boolean): Column['kind'] {
  if (/(^|_)(at|seen|since)$/.test(name)) return 'time'
  if (/(^|_)until$|^not_(after|before)$/.test(name)) return 'date'
  if (variants(schema).some((one) => one.type === 'object' || one.items?.properties)) return 'open'
  return optional && schema.type === 'integer' && schema.maximum === MAX_COUNT ? 'limit' : undefined
}

/** Shapes by the first operation that has them. */
class Shapes {
  readonly byName: Record<string, Column[]> = {}
  readonly #names = new Map<string, string>()

  nameOf(operation: string, columns: Column[]): string | undefined {
    if (columns.length === 0) return undefined
    const key = JSON.stringify(columns)
    const name = this.#names.get(key) ?? operation
    this.#names.set(key, name)
    this.byName[name] = columns
    return name
  }
}

function assertColumns(declaration: Declaration, shape: readonly Column[]): void {
  for (const name of declaration.cli?.columns ?? [])
    if (!isColumn(shape, name)) throw new Error(`${declaration.id}: its answer has no field ${name} for a column`)
}

/** The operation that reads the object an answer shows: by the parameters of this one and, at most, the object's id. */
function rereadOf(declaration: Declaration, declared: readonly Declaration[]): Operation['reread'] {
  const { method, answer, cli } = declaration
  if (!cli?.show || method === 'delete' || !(answer instanceof z.ZodObject)) return undefined
  const displayed = answer.shape[cli.show]
  const parameters = pathParameters(declaration.path)
  for (const read of declared) {
    if (read.method !== 'get') continue
    const part = read.answer !== displayed && partOf(read, cli.show) === displayed ? cli.show : undefined
    if (read.answer !== displayed && !part) continue
    const [id, ...more] = pathParameters(read.path).filter((name) => !parameters.includes(name))
    if (more.length === 0) return { operation: read.id, ...(id && { id }), ...(part && { part }) }
  }
  const list = declared.find(
    (read) => read.path === declaration.path && isComplete(read) && memberSchema(read) === displayed,
  )
  return list && { operation: list.id, listed: true }
}

const isComplete = (read: Declaration): boolean => listKind(read) === 'complete'

const memberSchema = (read: Declaration): unknown => {
  const items = partOf(read, 'items')
  return items instanceof z.ZodArray ? items.element : undefined
}

const partOf = ({ answer }: Declaration, name: string): unknown =>
  answer instanceof z.ZodObject ? answer.shape[name] : undefined

function operationEntry(
  declaration: Declaration,
  declared: readonly Declaration[],
  lists: Lists,
  shapes: Shapes,
): Operation {
  const displayed = displayedSchema(declaration)
  const fields = [...shapeOf(displayed), ...changesIn(displayed)]
  assertColumns(declaration, fields)
  const shape = shapes.nameOf(declaration.id, fields)
  const list = listKind(declaration)
  const reread = rereadOf(declaration, declared)
  const { cli } = declaration
  const namesJob = answerOf(declaration).properties?.['job_id'] && !declaration.cli?.unfollowed
  const followed = namesJob ? (declaration.job ?? declaration.id) : undefined
  return {
    id: declaration.id,
    method: declaration.method.toUpperCase() as Operation['method'],
    path: declaration.path,
    area: declaration.area,
    summary: declaration.summary,
    fields: fieldsOf(declaration, lists).map((field) => withCheck(field, declaration)),
    columns: cli?.columns ?? [],
    ...(shape && { shape }),
    ...(list && { list }),
    ...(cli?.follow && { follow: cli.follow }),
    ...(cli?.newest && { newest: cli.newest }),
    ...(cli?.confirm && { confirm: cli.confirm }),
    ...(cli?.confirmWhen && { confirmWhen: cli.confirmWhen }),
    ...(cli?.inParts && { inParts: cli.inParts }),
    ...(cli?.upload && { upload: cli.upload }),
    ...(cli?.pem && { pem: { ...cli.pem, key: cli.pem.key.field } }),
    ...(cli?.show && { show: cli.show }),
    ...(cli?.groups && { groups: cli.groups }),
    ...(cli?.failsWhen && { failsWhen: cli.failsWhen }),
    ...(cli?.rows && { rows: cli.rows }),
    ...(cli?.sections && { sections: cli.sections }),
    ...(cli?.text && { text: cli.text }),
    ...(cli?.unless && { unless: cli.unless }),
    ...(cli?.implies && { implies: cli.implies }),
    ...(cli?.lacking && { lacking: cli.lacking }),
    ...onceIn(declaration),
    ...(declaration.method === 'get' && answerOf(declaration).properties?.['log'] && { log: true as const }),
    ...(cli?.link && { link: cli.link }),
    ...(cli?.everything && { everything: cli.everything }),
    ...presetOf(declaration, declared),
    ...(followed && { job: followed }),
    ...(followed && reread && { reread }),
    ...(declaration.body && { hasBody: true as const }),
    ...(declaration.raw && { raw: declaration.raw }),
    ...(cli?.resumes && { resumes: cli.resumes }),
    ...(cli?.replaces && { replaces: cli.replaces }),
    ...(cli?.trial && { trial: cli.trial }),
    ...(declaration.method === 'post' &&
      !declaration.secret &&
      declaration.allow !== 'anyone' && { keyed: true as const }),
  }
}

/** What is shown of an answer and of what is read beside it, in the words of the preset. */
function presetOf({ cli }: Declaration, declared: readonly Declaration[]): Pick<Operation, 'preset'> {
  if (!cli?.preset) return {}
  const { columns, beside, ...preset } = cli.preset
  const path = declared.find(({ id }) => id === beside)!.path
  return { preset: { ...preset, beside: path, columns: columns.map((field) => ({ field })) } }
}

/** Secrets and recovery codes are never answered again. */
function onceIn(declaration: Declaration): Pick<Operation, 'once'> {
  const displayed = Object.keys(answerOf(declaration).properties ?? {}).filter((name) =>
    /^(secret|join_line|recovery_codes|encryption_password)$/.test(name),
  )
  return declaration.secret && displayed.length > 0 ? { once: displayed } : {}
}

/** A prompt asks the operation that the declaration names whether a value would do. */
function withCheck(field: Field, { cli }: Declaration): Field {
  const checking = operationList.find(({ id }) => id === cli?.check)
  if (!checking) return field
  const checks = field.place === 'body' && field.required && checking.query?.shape[field.name]
  return checks ? { ...field, check: checking.path } : field
}

/** Arguments by place, as names on the wire; the account of a twin comes by `--account`. */
function argumentsOf(declaration: Declaration, isTwin: boolean): string[] {
  const parameters = pathParameters(declaration.path)
  const input = declaration.cli?.args ?? []
  const all = [...parameters.filter((name) => !input.includes(name)), ...input, ...(declaration.raw ? ['file'] : [])]
  return isTwin ? all.filter((name) => name !== parameters[0]) : all
}

function commandEntry(declarations: readonly Declaration[], operations: Record<string, Operation>): Command {
  const variant = declarations.find((one) => one.cli?.variant === 'account')
  const plain = declarations.find((one) => one.cli?.variant === undefined)
  const first = plain ?? variant
  if (!first?.cli) throw new Error('a command without an operation')
  const options = [plain, variant].map((one) => one && optionsByPlace(one, one === variant, operations))
  if (options[0] && options[1] && options[0].join() !== options[1].join())
    throw new Error(`${plain?.id} and ${variant?.id} take different arguments`)
  return {
    words: first.cli.words,
    summary: first.summary,
    ...(first.description && { description: first.description }),
    examples: declarations.flatMap((one) => one.cli?.examples ?? []),
    args: options[0] ?? options[1] ?? [],
    ...(takesMany(first, operations) && { many: true as const }),
    ...(plain && { operation: plain.id }),
    ...(variant && { variant: variant.id }),
  }
}

/** A change that is told apart by its path alone, or by one argument: it can be made to one object after the other. */
function takesMany(declaration: Declaration, operations: Record<string, Operation>): boolean {
  if (declaration.cli?.each) return true
  const fields = operations[declaration.id]?.fields ?? []
  const isNamed = fields.some(({ place, option }) => place === 'path' && option !== 'account-id')
  const asksSecret = fields.some(({ secret, required }) => secret && required)
  const takesFile = declaration.cli?.upload?.isArgument ?? false
  return declaration.method !== 'get' && isNamed && !asksSecret && !takesFile && !declaration.cli?.args
}

function optionsByPlace(declaration: Declaration, isTwin: boolean, operations: Record<string, Operation>): string[] {
  const fields = operations[declaration.id]?.fields ?? []
  return argumentsOf(declaration, isTwin).map((name) => {
    const field = fields.find((one) => one.name === name)
    if (!field) throw new Error(`${declaration.id}: no field ${name} for an argument`)
    return field.option
  })
}

/** A filter by account beside a twin: `--account` chooses the twin, so the filter keeps its name on the wire. */
function withoutClash(operation: Operation, hasTwin: boolean): Operation {
  if (!hasTwin) return operation
  const renamed = (field: Field): Field => {
    if (field.option !== 'account' || field.place === 'path') return field
    const { alias: _alias, ...rest } = field
    return { ...rest, option: 'account-id' }
  }
  return { ...operation, fields: operation.fields.map(renamed) }
}

function commands(declared: readonly Declaration[], operations: Record<string, Operation>): Command[] {
  const byWords = new Map<string, Declaration[]>()
  for (const declaration of declared) {
    if (!declaration.cli) continue
    const words = declaration.cli.words.join(' ')
    byWords.set(words, [...(byWords.get(words) ?? []), declaration])
  }
  for (const [words, group] of byWords) assertPair(words, group)
  return inOrder([...byWords.values()].flatMap((group) => byVerb(group, commandEntry(group, operations))))
}

/** The commands of an operation whose last word sets a field. */
function byVerb([declaration]: readonly Declaration[], command: Command): Command[] {
  const { verbs } = declaration?.cli ?? {}
  if (!verbs) return [command]
  return verbs.values.map((value) => ({
    ...command,
    words: [...command.words.slice(0, -1), value],
    examples: command.examples.filter((line) => line.startsWith(`panel ${command.words[0]} ${value} `)),
    sets: { [verbs.field]: value },
  }))
}

const firstVerbs = ['list', 'show', 'create', 'update']

/** Areas as the contract has them; within each, first what is used most. */
function inOrder(all: readonly Command[]): Command[] {
  const areas = [...new Set(all.map((one) => one.words[0]))]
  const rank = ({ words }: Command): number => {
    const verb = firstVerbs.indexOf(words.slice(1).join(' '))
    return areas.indexOf(words[0]) * 10 + (verb < 0 ? firstVerbs.length : verb)
  }
  return [...all].sort((first, second) => rank(first) - rank(second))
}

function assertPair(words: string, group: readonly Declaration[]): void {
  const variants = group.filter((one) => one.cli?.variant).length
  if (variants > 1 || group.length - variants > 1) throw new Error(`two operations claim \`panel ${words}\``)
}

const twinned = (declaration: Declaration, declared: readonly Declaration[]): boolean =>
  declared.some((one) => one.cli?.variant && one.cli.words.join() === declaration.cli?.words.join())

/** What is said of each area that has commands. */
function areaSummaries(all: readonly Command[]): Record<string, string> {
  const groups = all.filter(({ words }) => words.length > 1).map(({ words }) => words[0] ?? '')
  const names = new Set(groups.filter((name) => !all.some(({ words }) => words.join(' ') === name)))
  const texts: Readonly<Record<string, string>> = {
    ...areas,
    import: areas.imports,
    context: contextSummary,
    service: serviceSummary,
    secret: secretSummary,
    replica: replicaSummary,
  }
  return Object.fromEntries([...names].map((name) => [name, (texts[name] ?? name).replace(/\.$/, '')]))
}

/** The contract as the command line sees it. */
export function commandTable(declared: readonly Declaration[] = operationList): Table {
  const named = collections(declared)
  const lists = {
    named: new Set(Object.keys(named)),
    all: new Set(declared.filter(isList).map(({ path }) => path)),
  }
  const shapes = new Shapes()
  const operations = Object.fromEntries(
    declared.map((one) => [one.id, withoutClash(operationEntry(one, declared, lists, shapes), twinned(one, declared))]),
  )
  const all = [...commands(declared, operations), ...ownCommands]
  return {
    areas: areaSummaries(all),
    commands: all,
    operations,
    shapes: shapes.byName,
    collections: Object.fromEntries(Object.entries(named).filter(([path]) => isReferred(path, operations))),
    exits: Object.fromEntries(Object.entries(problems).map(([code, { exit }]) => [code, exit])),
    events: eventTypes,
  }
}

const isReferred = (path: string, operations: Record<string, Operation>): boolean =>
  Object.values(operations).some((one) => one.fields.some((field) => field.ref === path))
