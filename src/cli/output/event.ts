import type { FeedEvent } from '../commands/feed/follow.ts'
import { type Invocation, textOption } from '../invocation.ts'
import { type Column, operationOf } from '../table.ts'
import { data, forEyes, paintFor } from '../terminal.ts'
import { readableCell } from './cells.ts'
import { columnsFor } from './columns.ts'
import { headings } from './heading.ts'
import { printAnswer, printItems } from './print.ts'
import { clockTime } from './time.ts'

const usualWidth = 10
const widths: Readonly<Record<string, number>> = { seq: 7, created_at: 8, type: 26, 'data.account.username': 16 }
const widthOf = ({ field }: Column): number => widths[field] ?? usualWidth

/** Prints one event of a stream that has no end: JSON on a line, YAML as a document, a line in columns for eyes. */
export async function printEvent(invocation: Invocation, event: FeedEvent, first: boolean): Promise<void> {
  const { output, quiet } = invocation.globals
  if (textOption(invocation, 'select') !== undefined) return printAnswer(asStream(invocation), event)
  if (output === 'table' && forEyes() && !quiet) return printLine(invocation, event, first)
  if (output === 'yaml' && !quiet) return printAnswer(invocation, event).then(() => data('---\n'))
  await printItems(asStream(invocation), operationOf('listEvents'), [event], first)
}

/** In a stream one JSON document a line is all that can be. */
const asStream = (invocation: Invocation): Invocation =>
  invocation.globals.output === 'json'
    ? { ...invocation, globals: { ...invocation.globals, output: 'jsonl' } }
    : invocation

async function printLine(invocation: Invocation, event: FeedEvent, first: boolean): Promise<void> {
  const columns = columnsFor(invocation, operationOf('listEvents'))
  const paint = await paintFor(process.stdout)
  const headers = first && invocation.option('headers') !== false
  if (headers) data(`${paint('dim', inColumns(columns, headings(columns)))}\n`)
  const cells = columns.map((column) => cellOf(column, event))
  data(`${inColumns(columns, cells)}\n`)
}

const inColumns = (columns: readonly Column[], texts: readonly string[]): string =>
  columns
    .map((column, at) => (texts[at] ?? '').padEnd(widthOf(column)))
    .join('  ')
    .slice(0, process.stdout.columns)
    .trimEnd()

const cellOf = (column: Column, event: FeedEvent): string =>
  column.field === 'created_at' ? clockTime(Number(event['created_at'])) : readableCell(column, event, Date.now())
