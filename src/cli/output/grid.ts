import type { Column } from '../table.ts'
import { paintFor, type Style } from '../terminal.ts'
import { heading, readableCell } from './cells.ts'

const borders = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
const lines = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle']
const borderless = Object.fromEntries([...borders, ...lines].map((name) => [name, '']))
const gap = 2
const narrowest = 8

const styles: Record<string, Style> = {
  active: 'green',
  succeeded: 'green',
  suspended: 'yellow',
  provisioning: 'yellow',
  terminating: 'yellow',
  failed: 'red',
  abandoned: 'red',
}

/** Rows in columns, without lines, as wide as the terminal allows. */
export async function grid(columns: readonly Column[], rows: readonly unknown[], headers: boolean): Promise<string> {
  const now = Date.now()
  const cells = rows.map((row) => columns.map((column) => readableCell(column, row, now)))
  const head = headers ? [columns.map(heading)] : []
  if (head.length + cells.length === 0) return ''
  const paint = await paintFor(process.stdout)
  const coloured = cells.map((row) => row.map((cell) => (styles[cell] ? paint(styles[cell], cell) : cell)))
  const titles = head.map((row) => row.map((title) => paint('dim', title)))
  return drawn([...titles, ...coloured], fitted([...head, ...cells]))
}

/** One object, a line for each column. */
export async function card(columns: readonly Column[], object: unknown): Promise<string> {
  const paint = await paintFor(process.stdout)
  const now = Date.now()
  const pairs = columns.map((column) => {
    const cell = readableCell(column, object, now)
    return [paint('dim', heading(column)), styles[cell] ? paint(styles[cell], cell) : cell]
  })
  return drawn(pairs)
}

async function drawn(rows: readonly string[][], widths?: readonly number[]): Promise<string> {
  const { default: Table } = await import('cli-table3')
  const table = new Table({
    chars: borderless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    ...(widths && { colWidths: [...widths] }),
  })
  table.push(...rows)
  const text = table.toString()
  return `${text.replace(/[ \t]+$/gm, '')}\n`
}

/** Widths that fit the terminal: the widest columns give way first. Nothing where all fit. */
function fitted(rows: readonly (readonly string[])[]): number[] | undefined {
  const widths = (rows[0] ?? []).map((_cell, at) => gap + Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  let excess = widths.reduce((sum, width) => sum + width, 0) - gap - (process.stdout.columns ?? 80)
  if (excess <= 0) return undefined
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= narrowest) break
    widths[widths.indexOf(widest)] = widest - 1
    excess--
  }
  return widths
}
