import { operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { notFound } from '../contract/problem.ts'
import { attachment } from '../shared/attachment.ts'
import { csvLine } from '../shared/csv.ts'
import { pageHeaders } from './answers.ts'
import { isTime, valueAt } from './kit/cell.tsx'
import { isList } from './kit/list.tsx'
import type { Answered } from './kit/screen.ts'
import { askOfPage, type Looking } from './looking.ts'
import { readAnew } from './served.ts'

const mostRows = 10_000
const pageSize = 200

/** A list as a spreadsheet file, read page by page. */
export async function csvOf(looking: Looking): Promise<Response> {
  const { screen } = looking.place
  const op: Declaration = operations[screen.shows]
  if (!isList(op)) throw notFound('list')
  const columns = screen.columns ?? op.cli?.columns ?? ['id']
  const pages = rowsOf(looking, op)
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
      ...looking.served.screens.headers,
      ...pageHeaders,
      'Content-Security-Policy': 'sandbox',
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': attachment(nameOf(looking)),
    },
  })
}

/** The page's path, with the names from its address. */
function nameOf({ place: { screen, names } }: Looking): string {
  const filled = screen.path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, called: string) => names[called] ?? '')
  return `${filled.split('/').filter(Boolean).join('-') || 'list'}.csv`
}

async function* rowsOf(looking: Looking, op: Declaration): AsyncGenerator<readonly Answered[], undefined> {
  const { shows } = looking.place.screen
  const asked = askOfPage(looking)
  const isPaged = op.query !== undefined && 'page' in op.query.shape
  for (let page = 1; page <= mostRows / pageSize; page++) {
    const paging = isPaged ? { page: String(page), per_page: String(pageSize) } : {}
    const { items } = await readAnew(looking.served, shows, { ...asked, query: { ...asked.query, ...paging } })
    yield items.slice(0, mostRows)
    if (!isPaged || items.length < pageSize) return
  }
}

const linesOf = (items: readonly Answered[], columns: readonly string[]): string[][] =>
  items.map((item) => columns.map((field) => plain(field, valueAt(item, field))))

function plain(field: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' && isTime(field)) return new Date(value).toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const encode = (rows: readonly (readonly string[])[]): Uint8Array =>
  new TextEncoder().encode(rows.map(csvLine).join(''))
