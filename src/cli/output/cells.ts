import { limitDefaultOf } from '../../shared/limit-defaults.ts'
import type { Column } from '../table.ts'
import { escaped } from '../terminal.ts'
import { sizeText } from './size.ts'
import { day, iso, relative } from './time.ts'

export type TableRow = Readonly<Record<string, unknown>>

/** The value at a dotted path; below a list, that of each item which has one. */
export const at = (row: unknown, field: string): unknown => field.split('.').reduce(below, row)

function below(value: unknown, key: string): unknown {
  if (!Array.isArray(value)) return (value as TableRow | null | undefined)?.[key]
  const found = value.map((item) => below(item, key))
  return found.some(isPresent) ? found : undefined
}

/** Whether a value is present. */
const isPresent = (value: unknown): boolean => value !== undefined && value !== null

const text = (value: unknown): string => {
  if (Array.isArray(value)) return value.map((item) => (isPresent(item) ? text(item) : '-')).join(',')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** A limit that is not set: what applies instead, or nothing. */
export function unsetLimit(field: string): string {
  const standard = limitDefaultOf(field)
  return standard === undefined ? 'unlimited' : `${standard} (default)`
}

/** A cell for scripts: untruncated, ISO times, empty if absent, `unlimited` in words. */
export function plainCell({ field, kind }: Column, row: unknown): string {
  if (kind === 'changes') return escaped(changesOf(row))
  const value = untrustedAt(row, field) ?? at(row, field)
  if (!isPresent(value)) return kind === 'limit' ? unsetLimit(field) : ''
  if ((kind === 'time' || kind === 'date') && typeof value === 'number') return iso(value)
  return escaped(text(value))
}

/** What to call the status of a certificate of which browsers warn: `valid` only says that its dates are. */
function untrustedAt(row: unknown, field: string): string | undefined {
  if (field !== 'status' && !field.endsWith('.status')) return undefined
  const holder = (field === 'status' ? row : at(row, field.slice(0, -'.status'.length))) as TableRow | null | undefined
  if (holder?.['status'] !== 'valid' && holder?.['status'] !== 'expiring') return undefined
  if (holder['kind'] === 'self_signed') return 'self-signed'
  return holder['trusted'] === false ? 'untrusted' : undefined
}

/** A cell for spreadsheets: with the text's own line breaks and tabs, which a table escapes. */
export function spreadsheetCell(column: Column, row: unknown): string {
  const value = at(row, column.field)
  if (typeof value !== 'string') return plainCell(column, row)
  return value
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : escaped(part)))
    .join('')
}

export const EMPTY_CELL = '-'

/** A cell for humans: relative times, a dash if absent. */
export function readableCell(column: Column, row: unknown, now: number): string {
  const value = at(row, column.field)
  if (column.field === 'operation') return spaced(String(value))
  if (column.kind === 'time' && typeof value === 'number') return relative(value, now)
  if (column.kind === 'date' && typeof value === 'number') return day(value, now)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (column.field.endsWith('_pct') && typeof value === 'number') return `${value}%`
  if (column.field.endsWith('_bytes') && typeof value === 'number') return sizeText(value)
  return plainCell(column, row) || EMPTY_CELL
}

/** More would fill a screen. */
const MAX_CHANGES = 4

/** `disk quota 2000 → 3000 MB`: what a change changed. */
function changesOf(row: unknown): string {
  const { before, after } = row as { before?: TableRow; after?: TableRow }
  const [was, is] = [flat(before), flat(after)]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => was[name] !== is[name])
  const texts = names.map((name) => changeText(name, was[name], is[name])).filter((one) => one !== undefined)
  return `${texts.slice(0, MAX_CHANGES).join(', ')}${texts.length > MAX_CHANGES ? ', …' : ''}`
}

/** Undefined for what a new object does not have. */
function changeText(name: string, was: string | undefined, is = 'none'): string | undefined {
  const words = name.replace(/_mb$/, '').replace(/\W|_/g, ' ')
  if (was === undefined) return /^(false|none|)$/.test(is) ? undefined : `${words} ${is}`
  return `${words} ${was} → ${is}`.replace(/ MB( → .* MB)$/, '$1')
}

/** Values by dotted name, as text. */
function flat(value: unknown, prefix = ''): Record<string, string> {
  const entries = Object.entries((value ?? {}) as TableRow).flatMap(([key, part]): [string, string][] => {
    const isObject = typeof part === 'object' && part !== null && !Array.isArray(part)
    if (isObject) return Object.entries(flat(part, `${prefix}${key}.`))
    return [[prefix + key, valueText(key, part)]]
  })
  return Object.fromEntries(entries)
}

function valueText(name: string, value: unknown): string {
  if (value === null) return /^max_|_mb$/.test(name) ? 'unlimited' : 'none'
  return text(value) + (name.endsWith('_mb') ? ' MB' : '')
}

/** `suspendAccount` -> `suspend account`. */
const spaced = (id: string): string => id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
