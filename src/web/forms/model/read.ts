import { put } from '../../../shared/dotted-keys.ts'
import type { Leaf } from './leaf.ts'
import { isLimit, noneName, wasName } from './names.ts'
import { rowNumbers } from './rows.ts'
import type { FormSchema } from './schema.ts'
import { momentIn } from './time.ts'

/** The body that a form describes. Values that cannot be parsed are sent as typed: the server reports the error. */
export function bodyOf({ leaves, sendsChanges }: FormSchema, form: URLSearchParams): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  const typed = leaves.map((leaf) => ({ leaf, value: valueIn(form, leaf), was: wasIn(form, leaf.name) }))
  const changed = new Set(typed.filter(isChanged).map(({ leaf }) => objectOf(leaf)))
  for (const one of typed) {
    const isComplete = sendsChanges && objectOf(one.leaf) !== undefined && changed.has(objectOf(one.leaf))
    const value = isComplete ? one.value : sent(one, sendsChanges)
    if (value !== undefined) put(body, one.leaf.name, value)
    else if (isComplete) body[objectOf(one.leaf)!] ??= {}
  }
  return body
}

/** The object that contains a leaf; a change replaces it as a whole. */
const objectOf = ({ name }: Leaf): string | undefined => (name.includes('.') ? name.split('.')[0] : undefined)

const isChanged = ({ value, was }: TypedValue): boolean => (was ? !isSame(value, was.value) : value !== undefined)

interface TypedValue {
  readonly leaf: Leaf
  readonly value: unknown
  /** Absent if the page did not show the previous value. */
  readonly was: { readonly value: unknown } | undefined
}

function wasIn(form: URLSearchParams, name: string): TypedValue['was'] {
  const text = form.get(wasName(name))
  if (text === null) return undefined
  try {
    return { value: text === '' ? undefined : JSON.parse(text) }
  } catch {
    return undefined
  }
}

function sent({ leaf, value, was }: TypedValue, sendsChanges: boolean): unknown {
  if (sendsChanges && was && isSame(value, was.value)) return undefined
  if (value !== undefined) return !sendsChanges && !leaf.required && value === leaf.standard ? undefined : value
  if (leaf.required && !sendsChanges) return empty(leaf)
  const isCleared = was !== undefined && was.value !== undefined && was.value !== null
  return isCleared && (sendsChanges || isList(leaf)) ? (empty(leaf) ?? null) : undefined
}

const isList = ({ kind }: Leaf): boolean => kind === 'checks' || kind === 'lines' || kind === 'rows'

/** The empty value to send if something must be sent. */
function empty(leaf: Leaf): unknown {
  if (isList(leaf)) return []
  if (leaf.nullable) return null
  return leaf.kind === 'text' || leaf.kind === 'reference' ? '' : undefined
}

/** Undefined and null look the same in a form, and so do line endings. */
function isSame(value: unknown, was: unknown): boolean {
  if (isNothing(value) && isNothing(was)) return true
  return JSON.stringify(value) === JSON.stringify(was, (_key, one) => (typeof one === 'string' ? unixLines(one) : one))
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** A leaf's value in a form; undefined if it has none. */
function valueIn(form: URLSearchParams, leaf: Leaf, name = leaf.name): unknown {
  if (leaf.kind === 'rows') return rowsIn(form, leaf, name)
  if (leaf.kind === 'checks') return listed(form.getAll(name).filter((text) => text !== ''))
  if (leaf.kind === 'lines') return constantIn(leaf, listed(linesIn(form, name).flatMap(apart)))
  if (leaf.kind === 'pairs') return pairsIn(linesIn(form, name))
  const text = unixLines(form.getAll(name).at(-1) ?? '')
  if (isLimit(leaf) && isNone(form, name, text)) return null
  return text === '' ? undefined : constantIn(leaf, single(leaf, text))
}

/** The constant that a text, or the only line of a list, spells. */
function constantIn({ constants = [] }: Leaf, value: unknown): unknown {
  const [text, ...others] = Array.isArray(value) ? value : [value]
  const found = others.length === 0 ? constants.find((one) => String(one) === text) : undefined
  return found ?? value
}

/** Addresses are often typed one after another in a line. */
function apart(line: string): string[] {
  const parts = line.split(/[,;]/).map((one) => one.trim())
  return parts.every((one) => isAddress.test(one)) ? parts : [line]
}

const isAddress = /^[^\s@<>"]+@[^\s@]+\.[a-z]{2,}$/i

const linesIn = (form: URLSearchParams, name: string): string[] =>
  unixLines(form.getAll(name).join('\n'))
    .split('\n')
    .filter((line) => line !== '')

/** Lines such as `old=new`; without a right side null, without a sign an empty text, which the server refuses. */
function pairsIn(lines: readonly string[]): unknown {
  const entries = lines.map((line) => {
    const [, name, value] = /^([^=]*)=(.*)$/s.exec(line) ?? [line, line, undefined]
    return [name, value === undefined ? '' : value || null] as const
  })
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

const listed = (items: readonly unknown[]): unknown => (items.length > 0 ? items : undefined)

/** A changed checkbox decides; otherwise the number does. */
function isNone(form: URLSearchParams, name: string, text: string): boolean {
  const ticked = form.getAll(noneName(name)).at(-1) === 'true'
  const wasTicked = form.get(wasName(name)) === 'null'
  return ticked && (!wasTicked || text === '')
}

const unixLines = (text: string): string => text.replace(/\r\n?/g, '\n')

function single({ kind, choices }: Leaf, text: string): unknown {
  if (kind === 'flag' && (text === 'true' || text === 'false')) return text === 'true'
  if (kind === 'number' && /^-?\d+(?:\.\d+)?$/.test(text.trim())) return Number(text)
  if (kind === 'time') return momentIn(text)
  if (kind !== 'choice') return text
  const choice = choices?.find((one) => one.text === text)
  return choice ? choice.means : text
}

function rowsIn(form: URLSearchParams, { columns = [] }: Leaf, name: string): unknown {
  const rows = rowNumbers(form, name).flatMap((index) => {
    const row = rowIn(form, columns, `${name}.${index}`)
    return row ? [row] : []
  })
  return listed(rows)
}

/** Drops rows in which nothing was typed: checkboxes and choices alone do not count. */
function rowIn(form: URLSearchParams, columns: readonly Leaf[], name: string): object | undefined {
  const row: Record<string, unknown> = {}
  let isTyped = false
  for (const column of columns) {
    const value = valueIn(form, column, `${name}.${column.name}`)
    if (value === undefined) {
      if (column.required) put(row, column.name, empty(column))
      continue
    }
    isTyped ||= column.kind !== 'flag' && column.kind !== 'choice'
    put(row, column.name, value)
  }
  return isTyped ? row : undefined
}
