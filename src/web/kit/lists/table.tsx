import type { Child } from 'hono/jsx'
import { t } from '../i18n/i18n.ts'
import { headOf } from '../i18n/label.ts'

export interface Column<Row> {
  readonly field: string
  readonly label?: string
  /** Aligned to the end, as numbers are. */
  readonly end?: boolean
  /** Whether its machine values may be broken to fit; by default they may. */
  readonly long?: boolean
  /** Whether its words stay on one line. */
  readonly short?: boolean
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
  /** Details of a row, in a row of their own below it. */
  readonly below?: ((row: Row) => Child | undefined) | undefined
}

/** Rows under named columns; on a phone, each row collapses to its name and status above its values. */
export const Table = <Row,>({ caption, columns, rows, action, choose, below }: Props<Row>) => (
  <div class="scroll">
    <table class="rows">
      <caption class="visually-hidden">{t(caption)}</caption>
      <thead>
        <tr>
          {choose ? <Chosen /> : null}
          {columns.map((column, place) => (
            <Head column={column as Column<unknown>} isFirst={place === 0} />
          ))}
          {action ? (
            <th scope="col">
              <span class="visually-hidden">{t('Actions')}</span>
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        <Rows columns={columns} rows={rows} action={action} choose={choose} below={below} />
      </tbody>
    </table>
  </div>
)

const Rows = <Row,>({ columns, rows, action, choose, below }: Omit<Props<Row>, 'caption'>) => {
  const cells = columns.length + Number(choose !== undefined) + Number(action !== undefined)
  return rows.map((row) => {
    const details = below?.(row)
    return (
      <>
        <tr>
          {choose ? <td class="choose">{choose(row)}</td> : null}
          {columns.map((column, place) => (
            <CellOf column={column} row={row} isFirst={place === 0} />
          ))}
          {action ? <td class="act">{action(row)}</td> : null}
        </tr>
        {details === undefined ? null : <Below span={cells}>{details}</Below>}
      </>
    )
  })
}

const CellOf = <Row,>({ column, row, isFirst }: { column: Column<Row>; row: Row; isFirst: boolean }) =>
  isFirst ? (
    <th scope="row" class={wrapOf(column)}>
      {column.cell(row)}
    </th>
  ) : (
    <td {...aspectOf(column)}>{column.cell(row)}</td>
  )

const Below = ({ span, children }: { span: number; children?: Child }) => (
  <tr>
    <td class="below" colspan={span}>
      {children}
    </td>
  </tr>
)

const wrapOf = ({ long = true, short }: Pick<Column<unknown>, 'long' | 'short'>): string | undefined =>
  short ? 'short' : long ? 'long' : undefined

function aspectOf<Row>(column: Column<Row>) {
  const { field, label, end } = column
  const kind = end ? 'end' : isState(field) ? 'state' : wrapOf(column)
  return { class: kind, 'data-label': t(label ?? headOf(field)) }
}

/** Shown beside the name on a phone. */
const isState = (field: string): boolean => field === 'status' || field === 'outcome'

const Chosen = () => (
  <td class="choose">
    <input type="checkbox" data-all="_item" aria-label={t('Select all')} hidden />
  </td>
)

/** The first column names the rows, which begins at the start whatever names them. */
const Head = ({ column: { field, label, end, order }, isFirst }: { column: Column<unknown>; isFirst: boolean }) => (
  <th scope="col" class={end && !isFirst ? 'end' : ''} aria-sort={order?.now}>
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
