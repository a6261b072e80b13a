import { at } from './cells.ts'

function compare(first: unknown, second: unknown): number {
  if (typeof first === 'number' && typeof second === 'number') return first - second
  if (first === undefined || second === undefined) return first === second ? 0 : first === undefined ? 1 : -1
  return String(first) < String(second) ? -1 : Number(String(first) > String(second))
}

/** Sorts by a field; `-field` is descending. */
export function sorted(items: readonly unknown[], order: string): unknown[] {
  const descending = order.startsWith('-')
  const field = descending ? order.slice(1) : order
  const ascending = [...items].sort((first, second) => compare(at(first, field), at(second, field)))
  return descending ? ascending.reverse() : ascending
}
