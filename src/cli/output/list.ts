import { isTty, note, outputClosed, taken } from '../terminal.ts'
import { printItems } from './print.ts'
import { sorted } from './sort.ts'
import type { Limit, View } from './view.ts'

/** A page of a list, with the total count. */
export interface ListPage {
  readonly items: readonly unknown[]
  readonly total?: number | undefined
  /** Nodes whose items are missing. */
  readonly unreachable?: readonly Missing[]
}

interface Missing {
  readonly reason: string
}

interface Counted {
  readonly printed: number
  readonly total: number | undefined
}

/** Prints a list: page by page if the format allows, else at once. Returns whether there was anything. */
export async function printList(view: View, pages: AsyncIterable<ListPage>): Promise<boolean> {
  const counted = streams(view) ? await printPages(view, pages) : await printAll(view, pages)
  noteRest(view.limit, counted)
  return counted.printed > 0
}

/** Whether a list can be printed page by page. */
function streams({ select, sort, quiet, output, csv }: View): boolean {
  if (select !== undefined || sort !== undefined) return false
  return quiet || output === 'jsonl' || output === 'name' || (output === 'table' && (csv || !isTty()))
}

async function printPages(view: View, pages: AsyncIterable<ListPage>): Promise<Counted> {
  let printed = 0
  let total: number | undefined
  for await (const page of pages) {
    await printItems(view, page.items, printed === 0)
    noteMissing(page)
    await taken()
    printed += page.items.length
    total = page.total
    if (outputClosed()) break
  }
  return { printed, total }
}

async function printAll(view: View, pages: AsyncIterable<ListPage>): Promise<Counted> {
  const all = await gathered(pages)
  const { items, total } = all
  noteMissing(all)
  const printed = ordered(view, items)
  if (printed.length > 0 || !isTty() || view.output !== 'table') await printItems(view, printed, true)
  return { printed: printed.length, total }
}

/** Sorts first, then applies the limit. */
export const ordered = ({ sort, limit }: View, items: readonly unknown[]): readonly unknown[] =>
  sort === undefined ? items : sorted(items, sort).slice(0, limit.max)

/** Merges all pages. */
export async function gathered(pages: AsyncIterable<ListPage>): Promise<ListPage> {
  const items: unknown[] = []
  let total: number | undefined
  const unreachable: Missing[] = []
  for await (const page of pages) {
    items.push(...page.items)
    unreachable.push(...(page.unreachable ?? []))
    total = page.total
  }
  return { items, total, unreachable }
}

const noteMissing = ({ unreachable = [] }: ListPage): void => {
  for (const { reason } of unreachable) note(`not listed: ${reason}`)
}

/** Notes that the default limit for terminals has hidden some items. */
export function noteRest({ implied, max }: Limit, { printed, total }: Counted): void {
  if (!implied) return
  if (total !== undefined && total > printed) note(`showing ${printed} of ${total}; --all shows the rest`)
  if (total === undefined && printed === max) note(`showing the first ${printed}; --all shows the rest`)
}
