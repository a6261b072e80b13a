import { setImmediate } from 'node:timers/promises'

/** The largest page that is not charged. */
export const freePage = 200

/** Reads all pages of a list, yielding to other work in between. */
export async function allOf<Item>(
  page: (query: Record<string, string>) => Promise<{ items: readonly Item[]; total: number }>,
  size = 500,
): Promise<Item[]> {
  const items: Item[] = []
  for (let number = 1; ; number++) {
    const next = await page({ page: String(number), per_page: String(size) })
    items.push(...next.items)
    if (next.items.length === 0 || items.length >= next.total) return items
    await setImmediate()
  }
}
