import { badAnswer } from '../errors.ts'
import type { Target } from '../target/target.ts'

export type Item = Readonly<Record<string, unknown>> & { readonly id: string }

/** The items of a list response, validated. */
export function itemsIn(body: unknown, target: Pick<Target, 'label' | 'source'>): Item[] {
  const items = (body as { items?: unknown } | null)?.items
  if (!Array.isArray(items)) throw badAnswer(target)
  return items as Item[]
}
