import { csvLine } from '../../shared/csv.ts'
import type { JobAndLog } from '../request/job.ts'
import type { Column } from '../table.ts'
import { data, escaped, isTty, oneLine } from '../terminal.ts'
import { at, plainCell, spreadsheetCell } from './cells.ts'
import { printAnswer, printDocument, printDocuments, printSelected } from './document.ts'
import { idOf, nameOf } from './identity.ts'
import { linesOf } from './log.ts'
import type { View } from './view.ts'

type Fields = Readonly<Record<string, unknown>>

/** Prints rows made by the command line itself. */
export async function printTable(view: View, rows: readonly Fields[]): Promise<void> {
  if (view.output === 'name' || view.quiet) return data(rows.map((row) => `${calledBy(row)}\n`).join(''))
  if (view.output === 'jsonl') return printDocuments(view, rows)
  if (view.output !== 'table' || view.select !== undefined) return printAnswer(view, rows)
  await printGrid({ ...view, headers: true }, rows)
}

/** Prints an object made by the command line itself. */
export async function printRecord(view: View, record: Fields): Promise<void> {
  if (view.output === 'name' || view.quiet) return data(`${calledBy(record)}\n`)
  if (view.output !== 'table' || view.select !== undefined) return printAnswer(view, record)
  const present = view.columns.filter(({ field }) => record[field] !== undefined)
  await printCard({ ...view, columns: present, headers: true }, record)
}

const calledBy = (row: Fields): string => escaped(idOf(row) ?? nameOf(row))

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
}

/** Prints each after a blank line; skips empty lists. */
async function printSections(view: View, value: unknown): Promise<void> {
  for (const { field, columns } of view.sections ?? []) {
    const rows = [at(value, field) ?? []].flat()
    if (rows.length === 0) continue
    data('\n')
    await printGrid({ ...view, columns: columns.map((name) => ({ field: name })) }, rows)
  }
}

/** Prints a text with line ends as it is; nothing if it is empty. */
const printText = (text: string): void =>
  data(text && `${text.replace(/\n$/, '').split('\n').map(oneLine).join('\n')}\n`)

/** The object that accompanies a text. */
const carriedBy = (body: unknown): unknown =>
  Object.values(body as Fields).find((value) => idOf(value) !== undefined) ?? body

function printLog(body: unknown): void {
  const lines = linesOf((body as Partial<JobAndLog>).log ?? [])
  if (lines !== '') data(`\n${lines}`)
}

async function printGrid({ columns, headers, csv }: View, rows: readonly unknown[]): Promise<void> {
  if (!csv && isTty()) return drawGrid(columns, rows, headers)
  const lines = rows.map((row) => columns.map((column) => (csv ? spreadsheetCell : plainCell)(column, row)))
  if (headers) lines.unshift(columns.map(({ field }) => field))
  data(lines.map(csv ? csvLine : tabLine).join(''))
}

const tabLine = (cells: readonly string[]): string => `${cells.join('\t')}\n`

const printCard = (view: View, object: unknown): Promise<void> =>
  isTty() && !view.csv ? drawCard(cardColumns(view, object), object) : printGrid(view, [object])

/** The chosen columns, then everything else in the object. */
const cardColumns = ({ columns, details = [] }: View, object: unknown): readonly Column[] => [
  ...columns,
  ...details.filter((column) => hasValue(column, object)),
]

function hasValue({ field, kind }: Column, object: unknown): boolean {
  const value = at(object, field)
  if (isFile(value)) return false
  const isEmpty = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return !isEmpty || kind === 'limit'
}

/** Multi-line text, such as a certificate, is left to `--select` and files. */
const isFile = (value: unknown): boolean => typeof value === 'string' && /\n.*\n$/s.test(value)

async function drawGrid(columns: readonly Column[], rows: readonly unknown[], headers: boolean): Promise<void> {
  const { grid } = await import('./grid.ts')
  data(await grid(columns, rows, headers))
}

async function drawCard(columns: readonly Column[], object: unknown): Promise<void> {
  const { card } = await import('./grid.ts')
  data(await card(columns, object))
}
