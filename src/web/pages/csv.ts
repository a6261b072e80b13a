import { operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { notFound } from '../../contract/problem.ts'
import { attachment } from '../../shared/attachment.ts'
import { csvLine } from '../../shared/csv.ts'
import { pageHeaders } from '../http/responses.ts'
import { isTime, valueAt } from '../kit/components/cell.tsx'
import { isoOf } from '../kit/format/format.ts'
import { isList } from '../kit/lists/list.tsx'
import type { Answered } from '../kit/screen.ts'
import { readAnew } from '../panel-request.ts'
import { askOfPage, type PageRequest } from './page-request.ts'

const MAX_ROWS = 10_000
const PAGE_SIZE = 200

/** A list as a spreadsheet file, read page by page. */
export async function csvOf(page: PageRequest): Promise<Response> {
  const { screen } = page.match
  const op: Declaration = operations[screen.shows]
  if (!isList(op)) throw notFound('list')
  const columns = screen.columns ?? op.cli?.columns ?? ['id']
  const pages = rowsOf(page, op)
  const first = await pages.next()
  const stream = new ReadableStream<Uint8Array>({
    start: (to) => to.enqueue(encode([[...columns], ...linesOf(first.value ?? [], columns)])),
    async pull(to) {
      const next = first.done ? first : await pages.next()
      if (next.done) return to.close()
      to.enqueue(encode(linesOf(next.value, columns)))
    },
  })
  return new Response(stream, {
    headers: {
      ...page.request.screens.headers,
      ...pageHeaders,
      'Content-Security-Policy': 'sandbox',
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': attachment(nameOf(page)),
    },
  })
}

/** The page's path, with the names from its address. */
function nameOf({ match: { screen, names } }: PageRequest): string {
  const filled = screen.path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, called: string) => names[called] ?? '')
  return `${filled.split('/').filter(Boolean).join('-') || 'list'}.csv`
}

async function* rowsOf(pageRequest: PageRequest, op: Declaration): AsyncGenerator<readonly Answered[], undefined> {
  const { shows } = pageRequest.match.screen
  const query = askOfPage(pageRequest)
  const isPaged = op.query !== undefined && 'page' in op.query.shape
  for (let page = 1; page <= MAX_ROWS / PAGE_SIZE; page++) {
    const paging = isPaged ? { page: String(page), per_page: String(PAGE_SIZE) } : {}
    const { items } = await readAnew(pageRequest.request, shows, { ...query, query: { ...query.query, ...paging } })
    yield items.slice(0, MAX_ROWS)
    if (!isPaged || items.length < PAGE_SIZE) return
  }
}

const linesOf = (items: readonly Answered[], columns: readonly string[]): string[][] =>
  items.map((item) => columns.map((field) => plain(field, valueAt(item, field))))

function plain(field: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' && isTime(field)) return isoOf(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const encode = (rows: readonly (readonly string[])[]): Uint8Array =>
  new TextEncoder().encode(rows.map(csvLine).join(''))
