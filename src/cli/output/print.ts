import { csvLine } from '../../shared/csv.ts'
import type { JobAndLog } from '../request/job.ts'
import { nameOf } from '../request/naming.ts'
import { data, escaped, isTty, oneLine } from '../terminal.ts'
import { at, plainCell, spreadsheetCell, type TableRow } from './cells.ts'
import { printAnswer, printDocument, printDocuments, printSelected } from './document.ts'

import { linesOf } from './log.ts'
import { withValues } from './sent.ts'
import type { View } from './view.ts'

interface Identified {
  readonly id: string
}

const isObject = (value: unknown): value is TableRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isIdentified = (value: unknown): value is Identified => isObject(value) && typeof value['id'] === 'string'

/** The id of a value, or of the object in it, as for a created token with its secret. */
function idOf(value: unknown): string | undefined {
  if (isIdentified(value)) return value.id
  return isObject(value) ? Object.values(value).find(isIdentified)?.id : undefined
}

type ObjectFields = Readonly<Record<string, unknown>>

/** Prints rows made by the command line itself. */
export async function printTable(view: View, rows: readonly ObjectFields[]): Promise<void> {
  if (view.output === 'name' || view.quiet) return data(rows.map((row) => `${calledBy(row)}\n`).join(''))
  if (view.output === 'jsonl') return printDocuments(view, rows)
  if (view.output !== 'table' || view.select !== undefined) return printAnswer(view, rows)
  await printGrid({ ...view, headers: true }, rows)
}

/** Prints an object made by the command line itself. */
export async function printRecord(view: View, record: ObjectFields): Promise<void> {
  if (view.output === 'name' || view.quiet) return data(`${calledBy(record)}\n`)
  if (view.output !== 'table' || view.select !== undefined) return printAnswer(view, record)
  const present = view.columns.filter(({ field }) => record[field] !== undefined)
  await printCard({ ...view, columns: present, headers: true, asCard: true }, record)
}

const calledBy = (row: ObjectFields): string => escaped(idOf(row) ?? nameOf(row))

/** Prints list items. `first`: print the headers, too. */
export async function printItems(view: View, rows: readonly unknown[], first: boolean): Promise<void> {
  if (view.select !== undefined) return printSelected(view, rows)
  if (view.quiet) return data(rows.map(idLine).join(''))
  if (view.output === 'name') return data(rows.map(nameLine).join(''))
  if (view.output !== 'table') return printDocuments(view, rows)
  await printGrid({ ...view, headers: view.headers && first }, rows)
}

function idLine(value: unknown): string {
  const id = idOf(value)
  return id === undefined ? '' : `${escaped(id)}\n`
}

const nameLine = (value: unknown): string => `${escaped(nameOf(value))}\n`

/** Prints a response with one object; `--select`, JSON and YAML get all of it. */
export async function printObject(view: View, body: unknown): Promise<void> {
  if (view.select !== undefined) return printSelected(view, body)
  const value = view.part ? at(body, view.part) : body
  const named = typeof value === 'string' ? carriedBy(body) : value
  if (view.quiet) return data(idLine(named))
  if (view.output === 'name') return data(nameLine(named))
  if (view.answers) return void view.answers.push(body)
  if (view.output !== 'table') return printDocument(view, body)
  if (typeof value === 'string') return printText(value)
  if (view.rows) {
    await printGrid(view, at(value, view.rows) as readonly unknown[])
    return view.csv ? undefined : printSections(view, value)
  }
  if (Array.isArray(value)) return printGrid(view, value)
  await printCard(view, value)
  if (!view.csv) await printSections(view, value)
  if (view.log && !view.csv) printLog(body)
  if (view.text && !view.csv) printBelow(String(at(value, view.text) ?? ''))
}

function printBelow(text: string): void {
  if (text === '') return
  data('\n')
  printText(text)
}

/** Prints each after a blank line, named unless it is the only one of its object; skips empty lists. */
async function printSections(view: View, value: unknown): Promise<void> {
  const { sections = [], beside } = view
  for (const { field, columns } of sections) {
    const rows = [at(value, field) ?? at(beside, field) ?? []].flat()
    if (rows.length === 0) continue
    data(beside || sections.length > 1 ? `\n${field}:\n` : '\n')
    await printGrid({ ...view, columns: columns.map((name) => ({ field: name })) }, rows)
  }
}

/** Prints a text with line ends as it is; nothing if it is empty. */
const printText = (text: string): void =>
  data(text && `${text.replace(/\n$/, '').split('\n').map(oneLine).join('\n')}\n`)

/** The object that accompanies a text. */
const carriedBy = (body: unknown): unknown =>
  Object.values(body as ObjectFields).find((value) => idOf(value) !== undefined) ?? body

function printLog(body: unknown): void {
  const lines = linesOf((body as Partial<JobAndLog>).log ?? [])
  if (lines !== '') data(`\n${lines}`)
}

async function printGrid(view: View, rows: readonly unknown[]): Promise<void> {
  const { columns, headers, csv } = view
  if (!csv && isTty()) return drawGrid(view, rows)
  const lines = rows.map((row) => columns.map((column) => (csv ? spreadsheetCell : plainCell)(column, row)))
  if (headers) lines.unshift(columns.map(({ field }) => field))
  data(lines.map(csv ? csvLine : tabLine).join(''))
}

const tabLine = (cells: readonly string[]): string => `${cells.join('\t')}\n`

/** One object: for people on a terminal; elsewhere a line with name and value for each field, or one row for a change. */
async function printCard(view: View, answer: unknown): Promise<void> {
  const object = withValues(answer, view.sent)
  if (view.csv || (view.several ? !isTty() : !view.headers)) return printGrid(view, [object])
  const { card, cardColumns, page } = await import('./drawing.ts')
  if (isTty()) return page(await card(view, object))
  if (!view.asCard) return printGrid(view, [object])
  data(
    cardColumns(view, object)
      .map((column) => tabLine([column.field, plainCell(column, object)]))
      .join(''),
  )
}

async function drawGrid({ columns, headers, wide }: View, rows: readonly unknown[]): Promise<void> {
  const { grid, page } = await import('./drawing.ts')
  page(await grid(columns, rows, headers, wide))
}
