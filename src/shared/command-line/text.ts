import type { Field } from '../commands.ts'
import { isSeen } from './quote.ts'

/** Texts that the command line reads as null for nullable fields. */
const nothing = new Set(['unlimited', 'none', 'null'])
const MAX_TEXT_LENGTH = 200

/** The text to type so that the command line sends exactly this value; undefined if there is none. */
export function textFor(field: Field, value: unknown): string | undefined {
  if (field.array) return Array.isArray(value) ? listText(field, value) : emptyText(field, value)
  if (value === null) return field.nullable && field.type !== 'boolean' && !field.file ? nullText(field) : undefined
  if (field.file || field.pem || field.type === 'boolean' || field.type === 'json') return undefined
  return single(field, value)
}

const nullText = ({ type }: Field): string => (type === 'integer' || type === 'number' ? 'unlimited' : 'none')

const emptyText = ({ nullable }: Field, value: unknown): string | undefined =>
  nullable && value === null ? 'none' : undefined

function listText(field: Field, items: readonly unknown[]): string | undefined {
  if (field.type === 'json') return undefined
  if (items.length === 0) return field.emptied && !field.nullable ? 'none' : undefined
  const texts = items.map((item) => single({ ...field, nullable: undefined } as never, item))
  if (texts.some((text) => !text || /,|\\$|^\s/.test(text))) return undefined
  return texts.join(',') === 'none' && (field.nullable || field.emptied) ? undefined : texts.join(',')
}

function single(field: Field, value: unknown): string | undefined {
  if (field.type === 'time') return typeof value === 'number' ? timeText(value) : undefined
  if (field.type === 'integer' || field.type === 'number') return numberText(field, value)
  if (typeof value !== 'string' || (field.choices && !field.choices.includes(value))) return undefined
  return field.nullable && nothing.has(value.toLowerCase()) ? undefined : value
}

function numberText({ type }: Field, value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : ''
  return (type === 'integer' ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/).test(text) && !Object.is(value, -0) ? text : undefined
}

const latest = 8_640_000_000_000_000

/** A time as a date, with the time of day unless it is midnight. */
function timeText(millis: number): string | undefined {
  if (!Number.isInteger(millis) || Math.abs(millis) > latest) return undefined
  const text = new Date(millis).toISOString()
  return text.replace(/T00:00:00\.000Z$/, '').replace(/\.000Z$/, 'Z')
}

/** Whether a text fits in one readable shell word. */
export const isWord = (text: string): boolean => text.length <= MAX_TEXT_LENGTH && isSeen(text)
