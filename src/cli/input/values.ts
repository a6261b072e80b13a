import { usage } from '../errors.ts'
import type { Field } from '../table.ts'

const unlimited = new Set(['unlimited', 'none', 'null'])
const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** `90`, `90s`, `10m`, `1h`, `7d` in milliseconds; a bare number counts seconds. */
export function durationOf(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smhdw]?)$/.exec(text)
  return match ? Number(match[1]) * (units[match[2] || 's'] ?? 0) : undefined
}

/** The duration an option holds. */
export function durationOption(option: string, text: string): number {
  const duration = durationOf(text)
  if (duration === undefined) throw usage(`--${option} must be a duration such as 30s, 10m or 1h, not ${text}`)
  return duration
}

/** The whole number from 1 an option holds. */
export function countOption(option: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw usage(`--${option} must be a whole number from 1, not ${text}`)
  return Number(text)
}

/** A moment: milliseconds, an ISO date, or a duration from now (`expires_at`) or back (`since`, `until`). */
function momentOf(field: Field, text: string): number {
  if (/^\d{6,}$/.test(text)) return Number(text)
  const duration = durationOf(text)
  if (duration !== undefined) return Date.now() + (field.name.endsWith('expires_at') ? duration : -duration)
  const moment = Date.parse(text)
  if (Number.isNaN(moment)) throw wrong(field, 'a date such as 2031-12-31, or a duration such as 30d', text)
  return moment
}

function numberOf(field: Field, text: string): number {
  const pattern = field.type === 'integer' ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/
  if (!pattern.test(text)) throw wrong(field, field.nullable ? 'a number or `unlimited`' : 'a number', text)
  return Number(text)
}

function jsonOf(field: Field, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrong(field, 'JSON', text)
  }
}

const wrong = (field: Field, expected: string, text: string) =>
  usage(`--${field.option} must be ${expected}, not ${text}`)

function oneOf(field: Field, text: string): string {
  if (!field.choices || field.choices.includes(text)) return text
  throw wrong(field, `one of ${field.choices.join(', ')}`, text)
}

function single(field: Field, text: string): unknown {
  if (field.nullable && unlimited.has(text.toLowerCase())) return null
  if (field.type === 'integer' || field.type === 'number') return numberOf(field, text)
  if (field.type === 'time') return momentOf(field, text)
  if (field.type === 'boolean') return oneOf({ ...field, choices: ['true', 'false'] }, text) === 'true'
  return field.type === 'json' ? jsonOf(field, text) : oneOf(field, text)
}

/** What was typed for a field, as it is sent. */
export function sentForm(field: Field, typed: string | boolean | readonly string[]): unknown {
  if (typeof typed === 'boolean') return typed
  if (!field.array) return single(field, typeof typed === 'string' ? typed : typed.join(','))
  const texts = (typeof typed === 'string' ? [typed] : typed).flatMap((text) =>
    field.type === 'json' ? [text] : text.split(','),
  )
  return texts.filter((text) => text !== '').map((text) => single({ ...field, nullable: undefined } as never, text))
}
