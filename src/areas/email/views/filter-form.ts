import type { Answered } from '../../../web/kit/screen.ts'

/** What a row of the form says, before it becomes a condition or an action. */
export interface Row {
  readonly what: string
  readonly test?: string
  readonly value: string
}

export const conditionFields = ['from', 'to', 'subject', 'list', 'header', 'size'] as const
export const conditionTests = ['contains', 'is', 'matches', 'over', 'under'] as const
export const actionNames = ['move', 'copy', 'forward', 'mark read', 'mark flagged', 'discard', 'keep'] as const

/** A new filter begins with so many rows; one that exists has one more than it needs. */
const MIN_ROWS = 2

const rowsIn = (form: URLSearchParams, list: string): Row[] => {
  const whats = form.getAll(`${list}.what`)
  const tests = form.getAll(`${list}.test`)
  const values = form.getAll(`${list}.value`)
  return whats.map((what, at) => ({ what, test: tests[at] ?? '', value: (values[at] ?? '').trim() }))
}

function conditionOf({ what, test, value }: Row): object {
  if (what === 'size') return { field: 'size', test: test === 'under' ? test : 'over', value: Number(value) }
  if (what !== 'header') return { field: what, test, value }
  const [, name = value, text = ''] = /^([^:]*):\s*(.*)$/.exec(value) ?? []
  return { field: 'header', name, test, value: text }
}

function actionOf({ what, value }: Row): object {
  if (what === 'forward') return { action: what, address: value }
  if (what === 'move' || what === 'copy') return { action: what, folder: value }
  const [action = '', as] = what.split(' ')
  return as === undefined ? { action } : { action, as }
}

/** An action without a value needs none, or has not been filled in. */
const isFilled = ({ what, value }: Row): boolean => value !== '' || /^(mark|discard|keep)/.test(what)

/** The filter that a form describes. */
export const filterIn = (form: URLSearchParams): object => ({
  name: form.get('name') ?? '',
  match: form.get('match') === 'any' ? 'any' : 'all',
  when: rowsIn(form, 'when')
    .filter(({ value }) => value !== '')
    .map(conditionOf),
  then: rowsIn(form, 'then')
    .filter((row) => row.what !== '' && isFilled(row))
    .map(actionOf),
  stop: form.get('stop') === 'true',
})

const conditionRow = ({ field, test, name, value }: Answered): Row => ({
  what: field,
  test,
  value: field === 'header' ? `${name}: ${value}` : String(value),
})

export const actionRow = ({ action, as, folder, address }: Answered): Row => ({
  what: action === 'mark' ? `mark ${as ?? 'read'}` : action,
  value: folder ?? address ?? '',
})

const padded = (rows: readonly Row[], what: string): Row[] => [
  ...rows,
  ...Array.from({ length: Math.max(1, MIN_ROWS - rows.length) }, () => ({ what, test: 'contains', value: '' })),
]

/** What the form shows of a filter. */
export interface FilterDraft {
  readonly name: string
  readonly match: string
  readonly stop: boolean
  readonly when: readonly Row[]
  readonly then: readonly Row[]
}

export function draftOf(filter: Answered | undefined, typed: URLSearchParams | undefined): FilterDraft {
  const { name, match, stop } = (typed ? filterIn(typed) : (filter ?? {})) as Answered
  const when = typed ? rowsIn(typed, 'when') : (filter?.when.map(conditionRow) ?? [])
  const then = typed ? rowsIn(typed, 'then') : (filter?.then.map(actionRow) ?? [])
  return {
    name: name ?? '',
    match: match ?? 'all',
    stop: stop ?? false,
    when: padded(when, 'from'),
    then: padded(then, ''),
  }
}
