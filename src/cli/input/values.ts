import { didYouMean } from '../../shared/similar.ts'
import { usage } from '../errors.ts'
import type { Field, TypedField } from '../table.ts'

/** What was typed for a field. */
export type Typed = string | boolean | readonly string[]
export type Values = Map<Field, Typed>

/** The accepted forms of a time. */
export const timeNote = 'a date such as 2031-12-31, or a duration such as 30d'
/** Fewer digits would be milliseconds before 1973. */
const millisDigits = 12
const unlimited = new Set(['unlimited', 'none', 'null'])
const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** `90`, `90s`, `10m`, `1h`, `7d` in milliseconds; a bare number is in seconds. */
export function durationOf(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smhdw]?)$/.exec(text)
  return match ? Number(match[1]) * (units[match[2] || 's'] ?? 0) : undefined
}

export function durationOption(option: string, text: string): number {
  const duration = durationOf(text)
  if (duration === undefined) throw usage(`--${option} must be a duration such as 30s, 10m or 1h, not ${text}`)
  return duration
}

/** A positive integer in an option. */
export function countOption(option: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw usage(`--${option} must be a whole number from 1, not ${text}`)
  return Number(text)
}

/** A past time in an option: a date, or how long ago. */
export function momentOption(option: string, text: string): number {
  const moment = momentIn(text, 'back')
  if (moment === undefined) throw usage(`--${option} must be ${timeNote}, not ${text}`)
  return moment
}

/** A time: milliseconds, an ISO date, or a duration: ahead for settings, back for searches. */
function momentOf(field: TypedField, text: string): number {
  const moment = momentIn(text, field.place === 'body' && field.name !== 'since' ? 'ahead' : 'back')
  if (moment === undefined) throw wrong(field, timeNote, text)
  return moment
}

/** A text as milliseconds; undefined for a small bare number. */
export function momentIn(text: string, direction: 'ahead' | 'back'): number | undefined {
  if (/^\d+$/.test(text)) return text.length >= millisDigits ? Number(text) : undefined
  const duration = durationOf(text)
  if (duration !== undefined) return Date.now() + (direction === 'ahead' ? duration : -duration)
  const moment = Date.parse(text)
  return Number.isNaN(moment) ? undefined : moment
}

const sizes: Record<string, number> = { M: 1, G: 1024, T: 1024 ** 2 }

/** `2G` as a number of MB, for what counts in MB. */
function megabytesOf({ name }: TypedField, text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?([MGT])i?B?$/i.exec(name.endsWith('_mb') ? text : '') ?? []
  return amount === undefined ? undefined : Math.ceil(Number(amount) * (sizes[unit.toUpperCase()] ?? 1))
}

function numberOf(field: TypedField, text: string): number {
  const size = megabytesOf(field, text)
  if (size !== undefined) return size
  const pattern = field.type === 'integer' ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/
  if (!pattern.test(text)) throw wrong(field, field.nullable ? 'a number or `unlimited`' : 'a number', text)
  return Number(text)
}

function jsonOf(field: TypedField, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrong(field, 'JSON', text)
  }
}

const wrong = (field: TypedField, expected: string, text: string) =>
  usage(`${field.called} must be ${expected}, not ${text}`)

/** More would make an error unreadable. */
export const maxListed = 15

function oneOf(field: TypedField, text: string): string {
  const { choices, called } = field
  if (!choices || choices.includes(text)) return text
  if (choices.length <= maxListed) throw wrong(field, `one of ${choices.join(', ')}`, text)
  throw usage(`${called} does not accept ${text}`, didYouMean(text, choices) ?? 'see --help')
}

function single(field: TypedField, text: string): unknown {
  if (field.nullable && unlimited.has(text.toLowerCase())) return null
  if (field.type === 'integer' || field.type === 'number') return numberOf(field, text)
  if (field.type === 'time') return momentOf(field, text)
  if (field.type === 'duration') return Math.ceil(durationOption(field.option, text) / 1000)
  if (field.type === 'boolean') return oneOf({ ...field, choices: ['true', 'false'] }, text) === 'true'
  return field.type === 'json' ? jsonOf(field, text) : oneOf(field, text)
}

/** `NAME=value` as an object; undefined if invalid. */
function pairIn(text: string): { name: string; value: string } | undefined {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text) ?? []
  return name === undefined || value === undefined ? undefined : { name, value }
}

/** `\\,` is a comma in a path. */
export const withoutCommas = (path: string): string => path.replaceAll(',', '\\,')
const splitPaths = (text: string): string[] => text.split(/(?<!\\),(?!\s)/).map((path) => path.replaceAll('\\,', ','))

/** Converts typed text to the form that is sent. */
export function sentForm(field: TypedField, typed: string | boolean | readonly string[]): unknown {
  if (typeof typed === 'boolean') return typed
  if (!field.array) return single(field, typeof typed === 'string' ? typed : typed.join(','))
  if (String(typed) === 'none' && (field.nullable || field.emptied)) return field.nullable ? null : []
  const texts = (typeof typed === 'string' ? [typed] : typed).flatMap((text) =>
    field.type === 'json' ? [text] : field.single ? splitPaths(text) : text.split(','),
  )
  const items = texts.filter((text) => text !== '')
  return items.map((text) => (field.pairs && pairIn(text)) || single({ ...field, nullable: undefined } as never, text))
}
