import { invalid } from '../../../contract/problem.ts'
import type { Answered } from '../screen.ts'

/** The fields that hold a list, and the number of the item that the form changes; the list's length adds one. */
export const LIST_FIELD = '_list'
export const NUMBER_FIELD = '_number'

/** The list that a form holds, with the item that it describes. */
export function listOf(form: URLSearchParams, itemIn: (form: URLSearchParams) => object): object[] {
  const list = parsed(form.get(LIST_FIELD))
  const number = form.get(NUMBER_FIELD)
  return number === null ? list : list.toSpliced(Number(number), 1, itemIn(form))
}

function parsed(text: string | null): object[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    if (Array.isArray(list)) return list
  } catch {
    // Said below.
  }
  throw invalid('items', 'is not a list: open the page again')
}

/** The number of the item that the page's form shows: as typed, or as its address says. */
export function numberIn(
  query: URLSearchParams,
  typed: URLSearchParams | undefined,
  list: readonly Answered[],
): number {
  const number = Number(typed?.get(NUMBER_FIELD) ?? query.get('edit') ?? list.length)
  return Number.isInteger(number) && number >= 0 && number < list.length ? number : list.length
}

/** What white space or commas separate. */
export const partsIn = (text: string | null): string[] => (text ?? '').split(/[\s,]+/).filter((part) => part !== '')
