/** Reads all pages of a list. */
export async function allOf<Item>(
  page: (query: Record<string, string>) => Promise<{ items: readonly Item[]; total: number }>,
): Promise<Item[]> {
  const items: Item[] = []
  for (let number = 1; ; number++) {
    const next = await page({ page: String(number), per_page: '500' })
    items.push(...next.items)
    if (next.items.length === 0 || items.length >= next.total) return items
  }
}
