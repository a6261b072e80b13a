import type { Child } from 'hono/jsx'
import { asWritten, endsOf, written } from '../html/html.ts'
import { t } from '../i18n/i18n.ts'
import { headOf } from '../i18n/label.ts'

export interface Column<Row> {
  readonly field: string
  readonly label?: string
  /** Aligned to the end, as numbers are. */
  readonly end?: boolean
  readonly cell: (row: Row) => Child
  /** Sorts the rows by this column. */
  readonly order?: { readonly href: string; readonly now?: 'ascending' | 'descending' | undefined }
}

interface Props<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** A row's only action. */
  readonly action?: ((row: Row) => Child) | undefined
  /** A checkbox to select a row. */
  readonly choose?: ((row: Row) => Child) | undefined
}

/** Rows under named columns; on a phone, each row collapses to its name and status above its values. */
export const Table = <Row,>({ caption, columns, rows, action, choose }: Props<Row>) => (
  <div class="scroll">
    <table class="rows">
      <caption class="visually-hidden">{t(caption)}</caption>
      <thead>
        <tr>
          {choose ? <Chosen /> : null}
          {columns.map((column) => (
            <Head column={column as Column<unknown>} />
          ))}
          {action ? (
            <th scope="col">
              <span class="visually-hidden">{t('Actions')}</span>
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        <Rows columns={columns} rows={rows} action={action} choose={choose} />
      </tbody>
    </table>
  </div>
)

/** Their tags are rendered once for all rows. */
const Rows = <Row,>({ columns, rows, action, choose }: Omit<Props<Row>, 'caption'>) => {
  const cells: [parents: Child, inner: (row: Row) => Child][] = columns.map((column, place) => [
    place === 0 ? <th scope="row" /> : <td {...aspectOf(column)} />,
    column.cell,
  ])
  if (choose) cells.unshift([<td class="choose" />, choose])
  if (action) cells.push([<td class="act" />, action])
  const [start, end] = endsOf(<tr />)
  const ends = cells.map(([parents]) => endsOf(parents))
  const before = ends.map(([open], place) => (place === 0 ? start : ends[place - 1]![1]) + open)
  const last = ends.at(-1)![1] + end
  let text = ''
  for (const row of rows) {
    for (let place = 0; place < cells.length; place++) text += before[place] + written(cells[place]![1](row))
    text += last
  }
  return asWritten(text)
}

function aspectOf<Row>({ field, label, end }: Column<Row>) {
  const kind = isState(field) ? 'state' : end ? 'end' : undefined
  return { class: kind, 'data-label': t(label ?? headOf(field)) }
}

/** Shown beside the name on a phone. */
const isState = (field: string): boolean => field === 'status' || field === 'outcome'

const Chosen = () => (
  <td class="choose">
    <input type="checkbox" data-all="_item" aria-label={t('Choose all')} hidden />
  </td>
)

const Head = ({ column: { field, label, end, order } }: { column: Column<unknown> }) => (
  <th scope="col" class={end ? 'end' : ''} aria-sort={order?.now}>
    {order ? (
      <a href={order.href}>
        {t(label ?? headOf(field))}
        {order.now ? <i aria-hidden="true">{order.now === 'ascending' ? ' ↑' : ' ↓'}</i> : null}
      </a>
    ) : (
      t(label ?? headOf(field))
    )}
  </th>
)
