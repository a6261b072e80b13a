import type { Item } from './items.ts'

export interface ItemPage {
  readonly items: Item[]
  /** Of the whole list. */
  readonly pages: number
}

type Read = (page: number) => Promise<ItemPage>

/** The members of a list whose ids begin with the text or, if none does and the list is short, end with it. */
export async function membersWith(read: Read, beginning: string | undefined, end: string): Promise<Item[]> {
  if (beginning !== undefined) {
    const found = (await membersFrom(read, beginning)).filter(({ id }) => id.startsWith(beginning))
    if (found.length > 0 || (await read(1)).pages > 1) return found
  }
  return (await membersFrom(read, '')).filter(({ id }) => id.endsWith(end))
}

/** Lists are in the order of ids, so the page on which a prefix begins is found by halving. */
async function membersFrom(read: Read, prefix: string): Promise<Item[]> {
  const first = await read(1)
  const isInOrder = first.items.every(({ id }, at) => at === 0 || first.items[at - 1]!.id <= id)
  const { pages } = first
  let [low, high] = [1, isInOrder ? pages : 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { items } = await read(middle)
    if ((items.at(-1)?.id ?? '') < prefix) low = middle + 1
    else high = middle
  }
  const found = low === 1 ? first.items : (await read(low)).items
  for (let next = low + 1; next <= pages && (!isInOrder || found.at(-1)!.id.startsWith(prefix)); next++)
    found.push(...(await read(next)).items)
  return found
}
