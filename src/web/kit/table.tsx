import type { Child } from 'hono/jsx'
import { inWords, t } from './text.ts'

export interface Column<Row> {
  readonly field: string
  readonly label?: string
  /** Numbers stand at the end. */
  readonly end?: boolean
  readonly cell: (row: Row) => Child
  /** Orders the rows by this column. */
  readonly order?: { readonly href: string; readonly now?: 'ascending' | 'descending' | undefined }
}

interface Props<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** The one action of a row. */
  readonly action?: (row: Row) => Child
  /** A box to choose a row by. */
  readonly choose?: (row: Row) => Child
}

/** Rows under named columns; on a phone each row folds to its name and status over its values. */
export const Table = <Row,>({ caption, columns, rows, action, choose }: Props<Row>) => (
  <div class="scroll">
    <table class="rows">
      <caption class="visually-hidden">{caption}</caption>
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
        {rows.map((row) => (
          <tr>
            {choose ? <td class="choose">{choose(row)}</td> : null}
            {columns.map(({ field, label, end, cell }, place) =>
              place === 0 ? (
                <th scope="row">{cell(row)}</th>
              ) : (
                <td class={end ? 'end' : ''} data-label={t(label ?? inWords(field))}>
                  {cell(row)}
                </td>
              ),
            )}
            {action ? <td class="act">{action(row)}</td> : null}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Chosen = () => (
  <td class="choose">
    <input type="checkbox" data-all="_item" aria-label={t('Choose all')} hidden />
  </td>
)

const Head = ({ column: { field, label, end, order } }: { column: Column<unknown> }) => (
  <th scope="col" class={end ? 'end' : ''} aria-sort={order?.now}>
    {order ? (
      <a href={order.href}>
        {t(label ?? inWords(field))}
        {order.now ? <i aria-hidden="true">{order.now === 'ascending' ? ' ↑' : ' ↓'}</i> : null}
      </a>
    ) : (
      t(label ?? inWords(field))
    )}
  </th>
)
