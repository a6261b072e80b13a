import { badAnswer } from '../errors.ts'
import type { ServerTarget } from '../target/target.ts'
import type { Client, RequestQuery } from './client.ts'

export type Item = Readonly<Record<string, unknown>> & { readonly id: string }

/** The items of a list response, validated. */
export function itemsIn(body: unknown, target: Pick<ServerTarget, 'label' | 'source'>): Item[] {
  const items = (body as { items?: unknown } | null)?.items
  if (!Array.isArray(items)) throw badAnswer(target)
  return items as Item[]
}

/** A list that has no pages, or one page of it. */
export async function itemsOf(client: Client, path: string, query: RequestQuery): Promise<Item[]> {
  const { body } = await client.call({ method: 'GET', path, query })
  return itemsIn(body, client.target)
}
