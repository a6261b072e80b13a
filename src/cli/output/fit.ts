import { MIN_ID_PART } from '../../shared/short-id.ts'
import type { Column } from '../table.ts'

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

/** Blanks between columns. */
export const gap = 2
const narrowest = 8

const isId = ({ field }: Column): boolean => /(^|[._])id$/.test(field)
/** Errors and reasons wrap: they are never cut. */
export const isSentence = ({ field }: Column): boolean => /(^|[._])(\w*error|\w*reason|detail|changes)$/.test(field)
const isName = ({ field }: Column): boolean =>
  /(^|[._])(\w*name|domain|address|login|status|state|outcome|type|kind|url)$/.test(field)
/** What few need: the last part of a job's life, and what only some types of DNS records have. */
const isRare = ({ field }: Column): boolean => /(^|[._])(step|progress_pct|weight|port|flags|tag)$/.test(field)

/** At this length an id tells its millisecond. */
const SHORT_ID_LENGTH = 10
const MAX_SHORT_ID_LENGTH = 12

/** Ids as short as they differ. */
export function withShortIds(columns: readonly Column[], cells: readonly string[][]): string[][] {
  const shorten = columns.map((column, at) => (isId(column) ? shortener(cells.map((row) => row[at] ?? '')) : unchanged))
  return cells.map((row) => row.map((cell, at) => (cell.length === idSize ? shorten[at]!(cell) : cell)))
}

type Shorten = (id: string) => string
const unchanged: Shorten = (id) => id

/** How many characters a whole id has. */
const idSize = 26

/** Their beginnings; of ids made in one millisecond, which differ at the end, their ends. */
function shortener(ids: readonly string[]): Shorten {
  const distinct = [...new Set(ids)]
  const differing = (short: Shorten): number => new Set(distinct.map(short)).size
  const first = (length: number) => (id: string) => id.slice(0, length)
  for (let length = SHORT_ID_LENGTH; length <= MAX_SHORT_ID_LENGTH; length++)
    if (differing(first(length)) === distinct.length) return first(length)
  if (differing(first(MAX_SHORT_ID_LENGTH)) * 2 > distinct.length) return first(MAX_SHORT_ID_LENGTH)
  const last: Shorten = (id) => `…${id.slice(-MIN_ID_PART)}`
  return differing(last) === distinct.length ? last : unchanged
}

/** How a column gives way where there is too little room. */
export interface Role {
  /** The columns with the highest go first, of several the last; 0: never. */
  readonly sacrifice: number
  /** It is not made narrower than this, or than it is. */
  readonly least: number
}

const isValue = ({ field }: Column): boolean => field === 'value'

const MAX_WORD_WIDTH = 26
const MIN_VALUE_WIDTH = 20
const MIN_SENTENCE_WIDTH = 24

export function roleOf(column: Column): Role {
  if (isId(column)) return { sacrifice: 1, least: Number.POSITIVE_INFINITY }
  if (isRare(column)) return { sacrifice: 3, least: Number.POSITIVE_INFINITY }
  if (isSentence(column)) return { sacrifice: 0, least: MIN_SENTENCE_WIDTH }
  if (isName(column)) return { sacrifice: 0, least: MAX_WORD_WIDTH }
  if (isValue(column)) return { sacrifice: 0, least: MIN_VALUE_WIDTH }
  return { sacrifice: 2, least: narrowest }
}

/** Breaks a sentence into lines, at blanks where it can. */
export function broken(text: string, width: number): string {
  const lines: string[] = []
  let rest = text
  while (widthOf(rest) > width && width > 0) {
    const blank = rest.lastIndexOf(' ', width)
    const end = blank > 0 ? blank : width
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest].join('\n')
}

interface Fitted {
  readonly widths: readonly number[]
  /** The columns that fit, by place. */
  readonly visible: readonly number[]
}

/** Widths that fit the terminal: leaves out columns in the order of their sacrifice, then shrinks the widest. */
export function fitted(rows: readonly (readonly string[])[], room: number, roles: readonly Role[]): Fitted {
  const natural = (rows[0] ?? []).map((_cell, at) => gap + Math.max(...rows.map((row) => widthOf(row[at] ?? ''))))
  const least = natural.map((width, at) => Math.min(width, gap + (roles[at]?.least ?? narrowest)))
  let visible = natural.map((_width, at) => at)
  const needed = (): number => sum(visible.map((at) => least[at] ?? 0)) - gap
  while (visible.length > 1 && needed() > room) {
    const first = firstToGo(visible, natural, roles)
    if (first === undefined) break
    visible = visible.filter((at) => at !== first)
  }
  return {
    widths: shrunk(visible, natural, needed() > room ? natural.map(() => gap + narrowest) : least, room),
    visible,
  }
}

/** A whole id goes before anything else. */
function firstToGo(visible: readonly number[], natural: readonly number[], roles: readonly Role[]): number | undefined {
  const rank = (at: number): number => {
    const { sacrifice = 2, least = 0 } = roles[at] ?? {}
    const isFullId =
      sacrifice === 1 && least === Number.POSITIVE_INFINITY && (natural[at] ?? 0) > gap + MAX_SHORT_ID_LENGTH
    return isFullId ? 4 : sacrifice
  }
  const highest = Math.max(...visible.map(rank))
  return highest === 0 ? undefined : visible.findLast((at) => rank(at) === highest)
}

function shrunk(
  visible: readonly number[],
  natural: readonly number[],
  least: readonly number[],
  room: number,
): number[] {
  const widths = visible.map((at) => natural[at] ?? 0)
  for (let excess = sum(widths) - gap - room; excess > 0; excess--) {
    const spare = widths.map((width, at) => width - (least[visible[at]!] ?? 0))
    const widest = widths.reduce(
      (best, width, at) => ((spare[at] ?? 0) > 0 && width > (widths[best] ?? 0) ? at : best),
      -1,
    )
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0)
