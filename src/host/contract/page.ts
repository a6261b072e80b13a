interface Page<Item> {
  readonly items: readonly Item[]
  readonly more: boolean
}

interface PageRequest<Place> {
  readonly limit: number
  readonly after?: Place | undefined
}

/**
 * Whether a page has no more items than asked for, in order, and all after the one before: pages of several nodes are
 * merged, so one out of order would hide other nodes' items, or never end.
 */
export const isPage = <Place>(
  { items, more }: Page<Place>,
  { limit, after }: PageRequest<Place>,
  isBefore: (one: Place, other: Place) => boolean,
): boolean =>
  items.length <= limit &&
  (items.length > 0 || !more) &&
  items.every((item, n) => n === 0 || !isBefore(item, items[n - 1]!)) &&
  (after === undefined || items.length === 0 || isBefore(after, items[0]!))

/** Whether no item is of another account than those asked about. */
export function areOf(uids: readonly number[] | undefined, items: readonly { readonly uid?: number | undefined }[]) {
  const allowed = uids && new Set(uids)
  return !allowed || items.every(({ uid }) => !uid || allowed.has(uid))
}
