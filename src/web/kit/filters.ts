import { type OperationId, operations } from '../../contract/index.ts'
import { choicesOf, type Schema, schemaOf } from '../../contract/json-schema.ts'
import type { Declaration } from '../../contract/operation.ts'

/** What a list can be narrowed by. */
export interface Filters {
  readonly searches: boolean
  readonly pages: boolean
  readonly orders: boolean
  readonly choices: readonly { readonly name: string; readonly values: readonly string[] }[]
}

const known = new Map<OperationId, Filters>()

export function filtersOf(id: OperationId): Filters {
  const filters = known.get(id) ?? filtersIn(operations[id])
  known.set(id, filters)
  return filters
}

/** How lists are paged and ordered: no filters. */
const ways: ReadonlySet<string> = new Set(['order', 'sort'])

function filtersIn({ query }: Declaration): Filters {
  const fields: Readonly<Record<string, Schema>> = query ? (schemaOf(query, 'input').properties ?? {}) : {}
  return {
    searches: 'q' in fields,
    pages: 'page' in fields,
    orders: 'order' in fields,
    choices: Object.entries(fields).flatMap(([name, schema]) => {
      const values = schema.type === 'boolean' ? ['true', 'false'] : choicesOf(schema)
      return values && !ways.has(name) ? [{ name, values }] : []
    }),
  }
}
