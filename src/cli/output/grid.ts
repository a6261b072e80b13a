import Table from 'cli-table3'
import type { Column } from '../table.ts'
import { note, paintFor, type Style } from '../terminal.ts'
import { EMPTY_CELL, readableCell } from './cells.ts'
import { broken, fitted, gap, isSentence, roleOf, withShortIds } from './fit.ts'
import { headings } from './heading.ts'

const borders = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
const lines = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle']
const borderless = Object.fromEntries([...borders, ...lines].map((name) => [name, '']))
export const styles: Record<string, Style> = {
  active: 'green',
  succeeded: 'green',
  valid: 'green',
  expiring: 'yellow',
  'self-signed': 'yellow',
  untrusted: 'yellow',
  expired: 'red',
  suspended: 'yellow',
  provisioning: 'yellow',
  terminating: 'yellow',
  failed: 'red',
  abandoned: 'red',
}

/** Formats rows in columns, without borders, as wide as the terminal allows; `wide`: as wide as they are. */
export async function grid(
  columns: readonly Column[],
  rows: readonly unknown[],
  headers: boolean,
  wide = false,
): Promise<string> {
  const now = Date.now()
  const cells = withShortIds(
    columns,
    rows.map((row) => columns.map((column) => readableCell(column, row, now))),
  )
  const head = headers ? [headings(columns)] : []
  if (head.length + cells.length === 0) return ''
  const room = wide ? Number.POSITIVE_INFINITY : process.stdout.columns || DEFAULT_WIDTH
  // Where there is little room, columns without any value give way to the others.
  const filled = columns.filter((_column, at) => cells.some((row) => row[at] !== EMPTY_CELL))
  if (widthOf([...head, ...cells]) > room && cells.length > 0 && filled.length < columns.length)
    return grid(filled, rows, headers, wide)
  const { widths, visible } = fitted([...head, ...cells], room, columns.map(roleOf))
  const leftOut = columns.filter((_column, at) => !visible.includes(at))
  if (leftOut.length > 0) noteLeftOut(leftOut)
  const paint = await paintFor(process.stdout)
  const visibleCells = (row: readonly string[]): string[] => visible.map((at) => row[at] ?? '')
  const body = cells.map((row) =>
    visibleCells(row).map((cell, at) => {
      const text = isSentence(columns[visible[at]!]!) ? broken(cell, widths[at]! - gap) : cell
      return styles[text] ? paint(styles[text], text) : text
    }),
  )
  const titles = head.map((row) => visibleCells(row).map((title) => paint('dim', title)))
  return drawn([...titles, ...body], widths)
}

const widthOf = ([first = [], ...rows]: readonly (readonly string[])[]): number =>
  first.reduce((sum, cell, at) => sum + gap + Math.max(cell.length, ...rows.map((row) => row[at]?.length ?? 0)), 0)

const DEFAULT_WIDTH = 80

const noteLeftOut = (columns: readonly Column[]): void =>
  note(`no room for ${columns.map(({ field }) => field).join(', ')}; choose columns with --columns, or --output wide`)

/** Draws cells in columns, without borders. */
export function drawn(rows: readonly string[][], widths?: readonly number[]): string {
  const table = new Table({
    chars: borderless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    ...(widths && { colWidths: [...widths] }),
  })
  table.push(...rows)
  const text = table.toString()
  return `${text.replace(/[ \t]+$/gm, '')}\n`
}
