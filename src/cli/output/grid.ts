import Table from 'cli-table3'
import type { Column } from '../table.ts'
import { note, paintFor, type Style } from '../terminal.ts'
import { readableCell } from './cells.ts'
import { headings } from './heading.ts'

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/gu
const narrow = /\p{Mn}|\p{Me}|\p{Cf}/gu

/** The width of a text in terminal columns. */
export function widthOf(text: string): number {
  // Fast path for plain text.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  const plain = text.replace(narrow, '')
  return [...plain].length + (plain.match(wide)?.length ?? 0)
}

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

/** Formats rows in columns, without borders, as wide as the terminal allows. */
export async function grid(columns: readonly Column[], rows: readonly unknown[], headers: boolean): Promise<string> {
  const now = Date.now()
  const cells = rows.map((row) => columns.map((column) => readableCell(column, row, now)))
  const head = headers ? [headings(columns)] : []
  if (head.length + cells.length === 0) return ''
  const { widths, visible } = fitted([...head, ...cells], process.stdout.columns || 80, columns.map(isUnbroken))
  if (visible < columns.length) noteLeftOut(columns.slice(visible))
  const paint = await paintFor(process.stdout)
  const coloured = cells.map((row) => row.map((cell) => (styles[cell] ? paint(styles[cell], cell) : cell)))
  const titles = head.map((row) => row.map((title) => paint('dim', title)))
  return drawn(
    [...titles, ...coloured].map((row) => row.slice(0, visible)),
    widths,
  )
}

const noteLeftOut = (columns: readonly Column[]): void =>
  note(`no room for ${columns.map(({ field }) => field).join(', ')}; choose columns with --columns`)

/** Formats one object, one column per line. */
export async function card(columns: readonly Column[], object: unknown): Promise<string> {
  const paint = await paintFor(process.stdout)
  const now = Date.now()
  const titles = headings(columns)
  const pairs = columns.map((column, at) => {
    const cell = readableCell(column, object, now)
    return [paint('dim', titles[at] ?? ''), styles[cell] ? paint(styles[cell], cell) : cell]
  })
  return drawn(pairs)
}

function drawn(rows: readonly string[][], widths?: readonly number[]): string {
  const table = new Table({
    chars: borderless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    ...(widths && { colWidths: [...widths] }),
  })
  table.push(...rows)
  const text = table.toString()
  return `${text.replace(/[ \t]+$/gm, '')}\n`
}

/** A truncated id is useless. */
const isUnbroken = ({ field }: Column): boolean => /(^|[._])id$/.test(field)

interface Fitted {
  readonly widths: readonly number[]
  /** How many columns fit. */
  readonly visible: number
}

/** Widths that fit the terminal: shrinks the widest columns first, then drops the last ones. */
export function fitted(rows: readonly (readonly string[])[], room: number, unbroken: readonly boolean[] = []): Fitted {
  const natural = (rows[0] ?? []).map((_cell, at) => gap + Math.max(...rows.map((row) => widthOf(row[at] ?? ''))))
  const least = natural.map((width, at) => (unbroken[at] ? width : Math.min(width, gap + narrowest)))
  let visible = natural.length
  while (visible > 1 && sum(least.slice(0, visible)) - gap > room) visible--
  const widths = natural.slice(0, visible)
  for (let excess = sum(widths) - gap - room; excess > 0; excess--) {
    const spare = widths.map((width, at) => width - (least[at] ?? 0))
    const widest = widths.reduce(
      (best, width, at) => ((spare[at] ?? 0) > 0 && width > (widths[best] ?? 0) ? at : best),
      -1,
    )
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return { widths, visible }
}

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0)
