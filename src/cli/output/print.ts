import type { Invocation } from '../invocation.ts'
import { textOption } from '../invocation.ts'
import type { Column, Operation } from '../table.ts'
import { data, forEyes, oneLine, printable } from '../terminal.ts'
import { at, plainCell } from './cells.ts'
import { columnsFor } from './columns.ts'
import { idOf, nameOf } from './identity.ts'
import { sorted } from './sort.ts'

/** JSON leaves some characters as they are that a terminal obeys: they can be written as escapes too. */
const harmless = (text: string): string =>
  text.replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const asJson = (value: unknown): string => `${harmless(JSON.stringify(value, null, 2) ?? 'null')}\n`
const asLine = (value: unknown): string => `${harmless(JSON.stringify(value) ?? 'null')}\n`

async function asYaml(value: unknown): Promise<string> {
  const { yamlOf } = await import('./yaml.ts')
  return forScreen(yamlOf(value))
}

const selects = (invocation: Invocation): boolean => textOption(invocation, 'select') !== undefined

/** Whether a list can be printed page by page. */
export const streams = (invocation: Invocation): boolean => {
  const { output, quiet } = invocation.globals
  if (selects(invocation) || textOption(invocation, 'sort') !== undefined) return false
  return quiet || output === 'jsonl' || output === 'name' || (output === 'table' && !forEyes())
}

/** What goes to a terminal does not tell it what to do; what goes elsewhere is whole. */
const forScreen = (text: string): string => (forEyes() ? printable(text) : text)

/** A document that is no answer of an operation, such as a plan. */
export async function printDocument({ globals }: Invocation, value: unknown): Promise<void> {
  if (globals.output === 'yaml') return data(await asYaml(value))
  data(globals.output === 'jsonl' ? asLine(value) : asJson(value))
}

/** An answer whose shape is not known: JSON, unless YAML or a part of it is asked for. */
export async function printAnswer(invocation: Invocation, value: unknown): Promise<void> {
  if (selects(invocation)) return printSelected(invocation, value)
  if (typeof value === 'string') return data(forScreen(value))
  return printDocument(invocation, value)
}

/** Rows of the command line's own making. */
export async function printTable(
  invocation: Invocation,
  columns: readonly Column[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const { output } = invocation.globals
  if (output === 'name' || invocation.globals.quiet) return data(rows.map((row) => `${calledBy(row)}\n`).join(''))
  if (output === 'jsonl') return data(rows.map(asLine).join(''))
  if (output !== 'table' || selects(invocation)) return printAnswer(invocation, rows)
  return printGrid(columns, rows, true)
}

/** One object of the command line's own making. */
export async function printRecord(
  invocation: Invocation,
  columns: readonly Column[],
  record: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { output, quiet } = invocation.globals
  if (output === 'name' || quiet) return data(`${calledBy(record)}\n`)
  if (output !== 'table' || selects(invocation)) return printAnswer(invocation, record)
  const present = columns.filter(({ field }) => record[field] !== undefined)
  return forEyes() ? drawCard(present, record) : printGrid(columns, [record], true)
}

const calledBy = (row: Readonly<Record<string, unknown>>): string => oneLine(idOf(row) ?? nameOf(row))

/** A list. `first` is whether it is the first page, which brings the headers. */
export async function printItems(
  invocation: Invocation,
  operation: Operation,
  items: readonly unknown[],
  first: boolean,
): Promise<void> {
  const order = textOption(invocation, 'sort')
  const rows = order === undefined ? items : sorted(items, order)
  if (selects(invocation)) return printSelected(invocation, rows)
  const { output, quiet } = invocation.globals
  if (quiet) return data(rows.map(idLine).join(''))
  if (output === 'json') return data(asJson(rows))
  if (output === 'jsonl') return data(rows.map(asLine).join(''))
  if (output === 'yaml') return data(await asYaml(rows))
  if (output === 'name') return data(rows.map((row) => `${oneLine(nameOf(row))}\n`).join(''))
  return printRows(invocation, operation, rows, first)
}

function idLine(value: unknown): string {
  const id = idOf(value)
  return id === undefined ? '' : `${oneLine(id)}\n`
}

/** One object. `unwrapped` is whether the part to show was taken out already. */
export async function printObject(
  invocation: Invocation,
  operation: Operation,
  body: unknown,
  unwrapped: boolean,
): Promise<void> {
  if (selects(invocation)) return printSelected(invocation, body)
  const shown = unwrapped || !operation.show ? body : at(body, operation.show)
  const { output, quiet } = invocation.globals
  if (quiet) return data(idLine(shown))
  if (output === 'json') return data(asJson(body))
  if (output === 'jsonl') return data(asLine(body))
  if (output === 'yaml') return data(await asYaml(body))
  if (output === 'name') return data(`${oneLine(nameOf(shown))}\n`)
  return forEyes() ? printCard(invocation, operation, shown) : printRows(invocation, operation, [shown], true)
}

async function printRows(
  invocation: Invocation,
  operation: Operation,
  rows: readonly unknown[],
  first: boolean,
): Promise<void> {
  await printGrid(columnsFor(invocation, operation), rows, first && invocation.option('headers') !== false)
}

async function printGrid(columns: readonly Column[], rows: readonly unknown[], headers: boolean): Promise<void> {
  if (forEyes()) return drawGrid(columns, rows, headers)
  const lines = rows.map((row) => columns.map((column) => plainCell(column, row)))
  if (headers) lines.unshift(columns.map(({ field }) => field))
  data(lines.map((cells) => `${cells.join('\t')}\n`).join(''))
}

const printCard = (invocation: Invocation, operation: Operation, object: unknown): Promise<void> =>
  drawCard(columnsFor(invocation, operation), object)

async function drawGrid(columns: readonly Column[], rows: readonly unknown[], headers: boolean): Promise<void> {
  const { grid } = await import('./grid.ts')
  data(await grid(columns, rows, headers))
}

async function drawCard(columns: readonly Column[], object: unknown): Promise<void> {
  const { card } = await import('./grid.ts')
  data(await card(columns, object))
}

/** What a JMESPath expression finds: bare values as lines, the rest in the format. */
async function printSelected(invocation: Invocation, value: unknown): Promise<void> {
  const { select } = await import('./select.ts')
  const found = select(value, textOption(invocation, 'select') ?? '@')
  const { output } = invocation.globals
  if (output === 'json') return data(asJson(found))
  if (output === 'yaml') return data(await asYaml(found))
  if (output === 'jsonl') return data((Array.isArray(found) ? found : [found]).map(asLine).join(''))
  data(forScreen(bare(found) ?? asJson(found)))
}

const isBare = (value: unknown): boolean => typeof value !== 'object' || value === null

function bare(value: unknown): string | undefined {
  if (isBare(value)) return `${value ?? ''}\n`
  if (!Array.isArray(value) || !value.every(isBare)) return undefined
  return value.map((one) => `${one ?? ''}\n`).join('')
}
