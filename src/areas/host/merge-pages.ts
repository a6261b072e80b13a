interface Page<Item> {
  readonly items: readonly Item[]
  readonly more: boolean
}

/**
 * The first items of the pages of all nodes. Of a node whose page ends early only what comes before that end is known to
 * be in order.
 */
export function mergePages<Item>(
  pages: readonly Page<Item>[],
  byPlace: (one: Item, other: Item) => number,
  limit: number,
): Page<Item> {
  const all = pages.flatMap(({ items }) => items).sort(byPlace)
  const ends = pages.flatMap(({ items, more }) => (more && items.length > 0 ? [all.indexOf(items.at(-1)!) + 1] : []))
  const items = all.slice(0, Math.min(limit, ...ends))
  return { items, more: pages.some(({ more }) => more) || items.length < all.length }
}
