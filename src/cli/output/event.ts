import type { Column } from '../table.ts'
import { data, isTty, paintFor } from '../terminal.ts'
import { readableCell } from './cells.ts'
import { printAnswer } from './document.ts'
import { headings } from './heading.ts'
import { printItems } from './print.ts'
import { clockTime } from './time.ts'
import type { View } from './view.ts'

type Event = Readonly<Record<string, unknown>>

const DEFAULT_WIDTH = 10
const widths: Readonly<Record<string, number>> = { seq: 7, created_at: 8, type: 26, 'data.account.username': 16 }
const widthOf = ({ field }: Column): number => widths[field] ?? DEFAULT_WIDTH

/** Prints one event of an endless stream: JSON on a line, a YAML document, or a line in columns. */
export async function printEvent(view: View, event: Event, first: boolean): Promise<void> {
  const { output, quiet, select } = view
  if (select !== undefined) return printAnswer(asStream(view), event)
  if (output === 'table' && isTty() && !quiet) return printLine(view, event, first)
  if (output === 'yaml' && !quiet) return printAnswer(view, event).then(() => data('---\n'))
  await printItems(asStream(view), [event], first)
}

/** A stream's JSON is one document per line. */
const asStream = (view: View): View => (view.output === 'json' ? { ...view, output: 'jsonl' } : view)

async function printLine({ columns, headers }: View, event: Event, first: boolean): Promise<void> {
  const paint = await paintFor(process.stdout)
  if (headers && first) data(`${paint('dim', inColumns(columns, headings(columns)))}\n`)
  const cells = columns.map((column) => cellOf(column, event))
  data(`${inColumns(columns, cells)}\n`)
}

const inColumns = (columns: readonly Column[], texts: readonly string[]): string =>
  columns
    .map((column, at) => (texts[at] ?? '').padEnd(widthOf(column)))
    .join('  ')
    .slice(0, process.stdout.columns)
    .trimEnd()

const cellOf = (column: Column, event: Event): string =>
  column.field === 'created_at' ? clockTime(Number(event['created_at'])) : readableCell(column, event, Date.now())
