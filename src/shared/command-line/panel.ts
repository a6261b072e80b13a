import type { Command, Field, Table } from '../commands.ts'
import { at } from '../dotted-keys.ts'
import { isNewestFirst } from '../newest-first.ts'
import { type CommandCall, type CommandText, ownerOf, rowOf } from './call.ts'
import { isSeen, quoted, visible, visibleJson } from './quote.ts'
import { isWord, textFor } from './text.ts'

/** A field as it is typed. */
interface Typed {
  readonly field: Field
  /** Absent for a switch, whose name says it all. */
  readonly text?: string
  readonly flag?: boolean
  readonly isMissing?: true
}

/** The command for what a screen does; undefined if there is none. */
export function sayPanel(table: Table, call: CommandCall): CommandText | undefined {
  const { row, command: first } = rowOf(table, call.operation)
  if (!first) return undefined
  const command = first.sets ? setting(table, first, call.body) : first
  const owner = ownerOf(row, command)
  const typed = row.fields.flatMap((field) =>
    isPrinted(field) ? typedFor(field, call, !call.follow && isNewestFirst(row, call.query)) : [],
  )
  const places = placesOf(command.args, typed)
  const isImplied = ({ field }: Typed): boolean => field.name in (command.sets ?? {})
  const displayed = typed.filter(
    (one) => !places.includes(one) && !isImplied(one) && !(one.field === owner && call.panel === 'user'),
  )
  const options = displayed.map((one) => optionFor(one, one.field === owner))
  const rest = leftOver(call.body ?? {}, [...typed.map(({ field }) => field), ...secretsIn(row.fields, call)])
  const data = rest === undefined ? [] : ['--data @changes.json']
  const more = [...options, ...secretOptions(row.fields, call), ...data, ...(call.follow ? ['--follow'] : [])]
  const line = ['panel', ...command.words, ...withPlaces(wordsOf(places, call), more)].join(' ')
  return {
    line: visible(line),
    copyable: isSeen(line),
    complete: !typed.some(({ isMissing }) => isMissing),
    ...(rest !== undefined && { data: `${visibleJson(rest, 2)}\n` }),
    ...(!isSeen(line) && { note: noteOn(typed, row.fields) }),
  }
}

/** Of the commands of one operation, the one whose words set what the body has. */
const setting = ({ commands }: Table, first: Command, body: Readonly<Record<string, unknown>> = {}): Command =>
  commands.find(
    ({ operation, sets }) =>
      sets && operation === first.operation && Object.entries(sets).every(([name, value]) => body[name] === value),
  ) ?? first

/** The command line does paging and confirmation itself, and prompts for secrets. */
const isPrinted = ({ internal, secret, place }: Field): boolean => !internal && !secret && place !== 'bytes'

function typedFor(field: Field, call: CommandCall, newest: boolean): Typed[] {
  const value = valueFor(field, call)
  if (newest && field.name === 'order') return value === 'desc' ? [] : [{ field, text: 'asc' }]
  if (value === undefined) return field.required ? [missing(field)] : []
  if (field.type === 'boolean' && typeof value === 'boolean' && !field.array) return [{ field, flag: value }]
  const name = field.ref ? call.names?.[field.name] : undefined
  const text = (name === undefined ? undefined : textFor(field, name)) ?? textFor(field, value)
  if (field.place !== 'body') return [{ field, text: text ?? String(value) }]
  return text !== undefined && isWord(text) ? [{ field, text }] : []
}

const missing = (field: Field): Typed => ({
  field,
  text: field.option.replaceAll('-', '_').toUpperCase(),
  isMissing: true,
})

function valueFor({ place, name, ...field }: Field, { params = {}, query = {}, body }: CommandCall): unknown {
  if (place === 'body') return at(body, name)
  if (place === 'path') return params[name]
  return fromQuery(field, query[name])
}

/** Query values are always text. */
function fromQuery({ type, array }: Pick<Field, 'type' | 'array'>, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (array) return value.split(',')
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  return type !== 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
}

/** Positional arguments, up to the first missing one. */
function placesOf(args: readonly string[], typed: readonly Typed[]): Typed[] {
  const places: Typed[] = []
  for (const option of args) {
    const found = typed.find(({ field }) => field.option === option)
    if (found?.text === undefined) break
    places.push(found)
  }
  return places
}

function wordsOf(places: readonly Typed[], { many }: CommandCall): string[] {
  const words = places.map(({ text = '' }) => text)
  return many ? [...words.slice(0, -1), ...many] : words
}

/** Arguments that start with a dash come last, or they would be read as options. */
function withPlaces(words: readonly string[], options: readonly string[]): string[] {
  const written = words.map(quoted)
  return words.some((word) => word.startsWith('-')) ? [...options, '--', ...written] : [...written, ...options]
}

function optionFor({ field, text, flag }: Typed, isOwner: boolean): string {
  if (text === undefined) return `--${flag ? '' : 'no-'}${field.option}`
  const name = isOwner ? '-a' : `--${field.option}`
  return text.startsWith('-') ? `--${field.option}=${quotedDash(text)}` : `${name} ${quoted(text)}`
}

const quotedDash = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const secretsIn = (fields: readonly Field[], { body }: CommandCall): Field[] =>
  fields.filter(({ secret, name }) => secret && typeof at(body, name) === 'string')

/** One secret can come from standard input; others are prompted for. */
function secretOptions(fields: readonly Field[], call: CommandCall): string[] {
  const secrets = secretsIn(fields, call)
  const all = fields.filter(
    (field) => field.secret && (secrets.includes(field) || (field.required && at(call.body, field.name) === undefined)),
  )
  return all.map(({ option }, index) => (index === all.length - 1 ? `--${option}-stdin` : `--${option}`))
}

/** The part of a body that no option covers. */
function leftOver(body: object, command: readonly Field[]): object | undefined {
  const names = new Set(command.filter(({ place }) => place === 'body').map(({ name }) => name))
  return left(body, '', names) as object | undefined
}

function left(value: unknown, path: string, command: ReadonlySet<string>): unknown {
  if (command.has(path)) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const inner = Object.entries(value).map(
    ([key, one]) => [key, left(one, path ? `${path}.${key}` : key, command)] as const,
  )
  const defined = inner.filter(([, one]) => one !== undefined)
  const isSpent = defined.length === 0 && (inner.length > 0 || path === '')
  return isSpent ? undefined : Object.fromEntries(defined)
}

/** Explains names that cannot be shown on a line, which have a field for their bytes. */
function noteOn(typed: readonly Typed[], fields: readonly Field[]): string {
  const unseen = typed.find(({ text = '' }) => !isSeen(text))?.field.name ?? ''
  const bytes = fields.find(({ name }) => name === `${unseen}_bytes`)
  return bytes
    ? `It contains characters that cannot be shown. The API takes it as ${bytes.name}.`
    : 'It contains characters that cannot be shown. The API takes it as it is.'
}
