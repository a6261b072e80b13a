import { CliError } from '../errors.ts'
import type { Field } from '../table.ts'
import { sentForm } from './values.ts'

/** Why a text is invalid for a field, by the contract's rules; undefined if valid. */
export function problemIn(field: Field, text: string): string | undefined {
  if (text === '') return 'required'
  const { min: least = 0, max = Number.POSITIVE_INFINITY, pattern } = field.array ? {} : (field.rule ?? {})
  if (text.length < least || text.length > max) return `must have ${amount(field, 'characters')}`
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return `is invalid: ${field.description}`
  return formatProblem(field, text)
}

/** Why a set of choices is invalid. */
export function problemAmong(field: Field, chosen: readonly string[]): string | undefined {
  const { max = Number.POSITIVE_INFINITY, alone = [] } = field.rule ?? {}
  const single = chosen.find((one) => alone.includes(one))
  if (single !== undefined && chosen.length > 1) return `${single} cannot be combined with others`
  return chosen.length > max ? `choose ${amount(field, 'items')}` : undefined
}

function amount({ rule = {} }: Field, unit: string): string {
  if (rule.max === undefined) return `at least ${rule.min} ${unit}`
  return rule.min === undefined ? `at most ${rule.max} ${unit}` : `${rule.min} to ${rule.max} ${unit}`
}

/** Checks numbers, dates and lists in the form in which they are sent. */
function formatProblem(field: Field, text: string): string | undefined {
  try {
    sentForm({ ...field, called: `--${field.option}` }, text)
    return undefined
  } catch (error) {
    return error instanceof CliError ? error.problem.title.replace(/^--\S+ /, '') : String(error)
  }
}
