import { countOption } from '../input/values.ts'
import { type Invocation, textOption } from '../invocation.ts'
import { printItems, streams } from '../output/print.ts'
import type { Operation } from '../table.ts'
import { forEyes, note, outputClosed, taken } from '../terminal.ts'
import type { Client, Query, Request } from './client.ts'
import { itemsIn } from './items.ts'

/** Every item of a list, whichever way it is read. */
export async function everyItem(operation: Operation, client: Client, request: Request): Promise<unknown[]> {
  return (await gather(operation, client, request, Number.POSITIVE_INFINITY)).items
}

interface Page {
  readonly items: readonly unknown[]
  readonly total?: number
}

const largestPage = 500
const screenful = 100

/** Reads a list as far as asked and prints it: page by page where the format allows, else as one. */
export async function runList(
  invocation: Invocation,
  operation: Operation,
  client: Client,
  request: Request,
): Promise<void> {
  const most = mostItems(invocation)
  const pages = pagesOf(operation, client, request, most)
  const counted = streams(invocation)
    ? await printPages(invocation, operation, pages)
    : await printWhole(invocation, operation, pages)
  noteRest(invocation, counted)
}

/** A list as far as asked, not printed yet. */
export async function gather(
  operation: Operation,
  client: Client,
  request: Request,
  most: number,
): Promise<{ items: unknown[]; total: number | undefined }> {
  return gathered(pagesOf(operation, client, request, most))
}

async function gathered(pages: AsyncGenerator<Page>): Promise<{ items: unknown[]; total: number | undefined }> {
  const items: unknown[] = []
  let total: number | undefined
  for await (const page of pages) {
    items.push(...page.items)
    total = page.total
  }
  return { items, total }
}

/** Whether nobody said how many: then a terminal gets a screenful, and a script everything. */
const implied = (invocation: Invocation): boolean =>
  !invocation.option('all') &&
  invocation.option('limit') === undefined &&
  invocation.globals.output === 'table' &&
  !invocation.globals.quiet &&
  forEyes()

/** How many items are asked for. */
export function mostItems(invocation: Invocation): number {
  const limit = textOption(invocation, 'limit')
  if (limit !== undefined) return countOption('limit', limit)
  return implied(invocation) ? screenful : Number.POSITIVE_INFINITY
}

interface Counted {
  readonly shown: number
  readonly total: number | undefined
}

async function printPages(invocation: Invocation, operation: Operation, pages: AsyncGenerator<Page>): Promise<Counted> {
  let shown = 0
  let total: number | undefined
  for await (const page of pages) {
    await printItems(invocation, operation, page.items, shown === 0)
    await taken()
    shown += page.items.length
    total = page.total
    if (outputClosed()) break
  }
  return { shown, total }
}

async function printWhole(invocation: Invocation, operation: Operation, pages: AsyncGenerator<Page>): Promise<Counted> {
  const { items, total } = await gathered(pages)
  await printItems(invocation, operation, items, true)
  return { shown: items.length, total }
}

/** Says that there is more than a terminal was given unasked. */
export function noteRest(invocation: Invocation, { shown, total }: Counted): void {
  if (!implied(invocation)) return
  if (total !== undefined && total > shown) note(`showing ${shown} of ${total}; --all shows the rest`)
  if (total === undefined && shown === screenful) note(`showing the first ${shown}; --all shows the rest`)
}

function pagesOf(operation: Operation, client: Client, request: Request, most: number): AsyncGenerator<Page> {
  if (operation.list === 'pages') return byPage(client, request, most)
  if (operation.list === 'cursor') return byCursor(client, request, most)
  return whole(client, request, most)
}

async function read(client: Client, request: Request, query: Query): Promise<Page & { next?: number }> {
  const { body } = await client.call({ ...request, query: { ...request.query, ...query } })
  return { ...(body as Page & { next?: number }), items: itemsIn(body, client.target) }
}

async function* whole(client: Client, request: Request, most: number): AsyncGenerator<Page> {
  const { items } = await read(client, request, {})
  yield { items: items.slice(0, most), total: items.length }
}

/** `--page` means that page alone. */
async function* byPage(client: Client, request: Request, most: number): AsyncGenerator<Page> {
  const size = Number(request.query?.['per_page'] ?? Math.min(most, largestPage))
  if (request.query?.['page'] !== undefined) return yield await read(client, request, {})
  for (let page = 1, shown = 0; shown < most; page++) {
    const { items, total = 0 } = await read(client, request, { page, per_page: size })
    yield { items: items.slice(0, most - shown), total }
    shown += items.length
    if (items.length < size || shown >= total) return
  }
}

/** Waits for a first event at most once; what follows is read without waiting. */
async function* byCursor(client: Client, request: Request, most: number): AsyncGenerator<Page> {
  let query: Query = {}
  for (let shown = 0; shown < most; ) {
    const limit = Math.min(most - shown, largestPage)
    const { items, next } = await read(client, request, { ...query, limit })
    yield { items }
    shown += items.length
    if (items.length < limit) return
    query = { after: next, wait: undefined }
  }
}
