import { type OperationId, operations } from '../../../contract/index.ts'
import { choicesOf, type Schema, schemaOf } from '../../../contract/json-schema.ts'
import type { Declaration } from '../../../contract/operation.ts'
import type { Screen, Search } from '../screen.ts'

/** A closed set of values by which a list is filtered. */
export interface FilterField {
  readonly name: string
  readonly values: readonly string[]
}

/** How a list can be filtered, paged and ordered. */
interface Filters {
  readonly search: Search | undefined
  readonly pages: boolean
  readonly orders: readonly string[]
  readonly choices: readonly FilterField[]
  /** All query parameters that narrow the list. */
  readonly narrowing: readonly string[]
}

const known = new Map<OperationId, Filters>()

export function filtersOf({ shows, search }: Pick<Screen, 'shows' | 'search'>): Filters {
  const filters = known.get(shows) ?? filtersIn(operations[shows])
  known.set(shows, filters)
  return search ? { ...filters, search } : filters
}

/** Whether the address asks for less than the whole list. */
export const isFiltered = (screen: Screen, query: URLSearchParams): boolean => {
  const { search, narrowing } = filtersOf(screen)
  return [search?.name ?? 'q', ...narrowing].some((name) => (query.get(name) ?? '') !== '')
}

/** Order and paging are not filters. */
const LIST_PARAMETERS: ReadonlySet<string> = new Set(['order', 'sort', 'page', 'per_page', 'limit', 'after', 'cursor'])

function filtersIn({ query }: Declaration): Filters {
  const fields: Readonly<Record<string, Schema>> = query ? (schemaOf(query, 'input').properties ?? {}) : {}
  const { q, page, order, sort } = fields
  return {
    search: q && { name: 'q', label: 'Find by name' },
    pages: page !== undefined,
    narrowing: Object.keys(fields).filter((name) => !LIST_PARAMETERS.has(name)),
    orders: sort ? (choicesOf(sort) ?? []) : order ? ['created_at'] : [],
    choices: Object.entries(fields).flatMap(([name, schema]) => {
      const values = schema.type === 'boolean' ? ['true', 'false'] : choicesOf(schema)
      return values && !LIST_PARAMETERS.has(name) ? [{ name, values }] : []
    }),
  }
}
