import type { CardGroup, Column } from '../table.ts'
import { paintFor } from '../terminal.ts'
import { at, readableCell, unsetLimit } from './cells.ts'
import { broken, gap, widthOf } from './fit.ts'
import { drawn, styles } from './grid.ts'
import { headings } from './heading.ts'
import type { View } from './view.ts'

type CardView = Pick<View, 'columns' | 'details' | 'groups'>
type Paint = Awaited<ReturnType<typeof paintFor>>

/** An object's columns in print: the chosen ones, then all others. */
export const cardColumns = ({ columns, details = [] }: CardView, object: unknown): readonly Column[] => [
  ...columns,
  ...details.filter((column) => hasValue(column, object)),
]

function hasValue({ field, kind }: Column, object: unknown): boolean {
  const value = at(object, field)
  if (isFile(value) || isNested(value)) return false
  const isEmpty = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return !isEmpty || kind === 'limit'
}

const isThere = ({ field, kind }: Column, object: unknown): boolean =>
  (at(object, field) ?? undefined) !== undefined || kind === 'limit'

/** Multi-line text, such as a certificate, is left to `--select` and files. */
const isFile = (value: unknown): boolean => typeof value === 'string' && /\n.*\n$/s.test(value)

/** Nested values are left to JSON. */
const isNested = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isNested) : typeof value === 'object' && value !== null

/** An object on a terminal: a line for each chosen field, then its groups under their headings. */
export async function card(view: CardView, object: unknown): Promise<string> {
  const paint = await paintFor(process.stdout)
  const grouped = new Set((view.groups ?? []).flatMap(fieldsOf))
  const isFree = ({ field }: Column): boolean => !grouped.has(field)
  const main = view.columns.filter((column) => isFree(column) && isThere(column, object))
  const rest = cardColumns({ ...view, columns: [] }, object).filter(isFree)
  const declared = (view.groups ?? []).map((group) => groupText(group, view, object, paint))
  const others = main.length + rest.length <= MAX_PLAIN_LINES ? [] : othersIn(rest)
  const known = [...view.columns, ...(view.details ?? [])]
  const first = columnsOf(view.groups?.filter(({ heading }) => heading === undefined) ?? [], known, object)
  return [
    lines([...main, ...first, ...(others.length === 0 ? rest : [])], object, paint),
    ...declared,
    ...others.map(([name, columns]) => under(name, pairs(columns, object, paint), paint)),
  ].join('')
}

/** A longer card is divided. */
const MAX_PLAIN_LINES = 14
/** Fewer fields do not need a heading of their own. */
const MIN_GROUP_SIZE = 3

const fieldsOf = ({ fields = [], usage = [], left = [] }: CardGroup): string[] => [
  ...fields,
  ...left,
  ...usage.flatMap(({ used, limit }) => [used, ...(limit === undefined ? [] : [limit])]),
]

/** Limits, the parts of an object, and what remains. */
function othersIn(columns: readonly Column[]): [string, Column[]][] {
  const nameOf = ({ field, kind }: Column): string =>
    field.includes('.') ? field.split('.')[0]! : kind === 'limit' ? 'limits' : DETAILS
  const all = new Map<string, Column[]>()
  for (const column of columns) all.set(nameOf(column), [...(all.get(nameOf(column)) ?? []), column])
  const large = [...all].filter(([name, members]) => name !== DETAILS && members.length >= MIN_GROUP_SIZE)
  const left = columns.filter((column) => !large.some(([, members]) => members.includes(column)))
  return left.length > 0 ? [...large, [DETAILS, left]] : large
}

const DETAILS = 'details'

function groupText(group: CardGroup, { columns, details = [] }: CardView, object: unknown, paint: Paint): string {
  if (group.heading === undefined) return ''
  const visible = columnsOf([group], [...columns, ...details], object)
  if (group.usage) return usageText(group.usage, titleOf(group.heading, paint), object, paint)
  return visible.length === 0 ? '' : under(group.heading, pairs(visible, object, paint), paint)
}

/** The fields of groups that have a value. */
const columnsOf = (groups: readonly CardGroup[], known: readonly Column[], object: unknown): Column[] =>
  groups
    .flatMap(({ fields = [] }) => fields.flatMap((name) => known.find(({ field }) => field === name) ?? []))
    .filter((column) => hasValue(column, object))

const titleOf = (name: string, paint: Paint): string => paint('bold', name.replaceAll('_', ' ').toUpperCase())

const under = (name: string, text: string, paint: Paint): string => `${titleOf(name, paint)}\n${text}`

function lines(columns: readonly Column[], object: unknown, paint: Paint): string {
  const titles = headings(columns)
  return columns.length === 0
    ? ''
    : drawn(columns.map((column, place) => [paint('dim', titles[place] ?? ''), cellOf(column, object, paint)]))
}

function cellOf(column: Column, object: unknown, paint: Paint): string {
  const cell = readableCell(column, object, Date.now())
  return styles[cell] ? paint(styles[cell], cell) : cell
}

/** Two fields a line, if they fit; those without a limit together. */
function pairs(columns: readonly Column[], object: unknown, paint: Paint): string {
  const titled = columns.map((column, place) => ({ column, title: titlesIn(columns)[place] ?? '' }))
  const isUnlimited = ({ column: { field, kind } }: (typeof titled)[number]): boolean =>
    kind === 'limit' && (at(object, field) ?? undefined) === undefined && unsetLimit(field) === 'unlimited'
  const set = titled.filter((one) => !isUnlimited(one))
  const width = gap + Math.max(0, ...set.map(({ title }) => widthOf(title)))
  const entries = set.map(({ column, title }) => ({
    text: `${paint('dim', title.padEnd(width))}${cellOf(column, object, paint)}`,
    size: width + widthOf(readableCell(column, object, Date.now())),
  }))
  const unlimited = titled.filter(isUnlimited).map(({ title }) => title)
  return twoByTwo(entries) + (unlimited.length > 0 ? unlimitedText(unlimited, width, paint) : '')
}

/** Titles below a heading, without what the heading says. */
function titlesIn(columns: readonly Column[]): string[] {
  const [first = ''] = (columns[0]?.field ?? '').split('.')
  const isPart = columns.every(({ field }) => field.startsWith(`${first}.`))
  return headings(
    columns.map((column) => (isPart ? { ...column, field: column.field.slice(first.length + 1) } : column)),
  ).map((title) => title.toLowerCase())
}

const lineWidth = (): number => process.stdout.columns || 80
const indent = '  '

function twoByTwo(entries: readonly { readonly text: string; readonly size: number }[]): string {
  const half = Math.floor(lineWidth() / 2) - gap
  const made: string[] = []
  let isOpen = false
  for (const { text, size } of entries) {
    if (isOpen && size <= half) {
      made.push(`${made.pop()}${text}`)
      isOpen = false
    } else {
      isOpen = size <= half
      made.push(`${indent}${text}${isOpen ? ' '.repeat(half - size) : ''}`)
    }
  }
  return made.map((line) => `${line.trimEnd()}\n`).join('')
}

const noBreak = '\u00a0'

/** `unlimited  max sql, max sub, …` */
function unlimitedText(names: readonly string[], width: number, paint: Paint): string {
  const title = 'unlimited'.padEnd(Math.max(width, 'unlimited'.length + gap))
  const unbroken = names.map((name) => name.replaceAll(' ', noBreak)).join(', ')
  const text = broken(unbroken, lineWidth() - indent.length - title.length).replaceAll(noBreak, ' ')
  return `${indent}${paint('dim', title)}${text.replaceAll('\n', `\n${' '.repeat(indent.length + title.length)}`)}\n`
}

const BAR_WIDTH = 20

/** Usage and limit, a line each, with a bar. */
function usageText(usage: NonNullable<CardGroup['usage']>, title: string, object: unknown, paint: Paint): string {
  const rows = usage.map(({ name, used, limit, unit }) => {
    const [amount, maximum] = [at(object, used), limit === undefined ? undefined : at(object, limit)].map((value) =>
      typeof value === 'number' ? value : undefined,
    )
    const figure = (value: number | undefined, absent: string): string =>
      value === undefined ? absent : `${value}${unit ? ` ${unit}` : ''}`
    return [
      `  ${name}`,
      figure(amount, '-'),
      figure(maximum, 'unlimited'),
      amount === undefined || maximum === undefined ? '' : barOf(amount, maximum),
    ]
  })
  return drawn([[title, ...['USED', 'LIMIT', ''].map((name) => paint('dim', name))], ...rows])
}

function barOf(used: number, limit: number): string {
  const share = limit === 0 ? (used === 0 ? 0 : 1) : used / limit
  const filled = Math.min(BAR_WIDTH, Math.round(share * BAR_WIDTH))
  return `${'━'.repeat(filled)}${'─'.repeat(BAR_WIDTH - filled)} ${Math.round(share * 100)}%`
}
