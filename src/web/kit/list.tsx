import type { Child } from 'hono/jsx'
import { operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { Cell, standsAtEnd, valueAt } from './cell.tsx'
import { ListFilter } from './filter.tsx'
import { filtersOf } from './filters.ts'
import { ButtonForm } from './form.tsx'
import { Icon } from './icon.tsx'
import { Pager } from './pager.tsx'
import { withQuery } from './query.ts'
import type { Answered, Shown, Visit } from './screen.ts'
import { type Column, Table } from './table.tsx'
import { t } from './text.ts'

const mostRows = 200

/** The usual page of a list: filter, table, pages. */
export function listPage(visit: Visit): Shown {
  const { screen, data } = visit
  const items: Answered[] = data.items ?? []
  const total: number = data.total ?? items.length
  return {
    title: t(screen.title),
    count: total > 0 ? total : undefined,
    actions: <Actions visit={visit} />,
    body: (
      <>
        <ListFilter visit={visit} />
        {items.length === 0 ? <Empty visit={visit} /> : <Rows visit={visit} items={items} total={total} />}
      </>
    ),
  }
}

export const Actions = ({ visit }: { visit: Visit }) => (
  <>
    <a class="button" href={`${visit.path}?${withQuery(visit, { format: 'csv', page: '' })}`}>
      {t('Download CSV')}
    </a>
    <Add visit={visit} />
  </>
)

const Add = ({ visit: { screen, href, may } }: { visit: Visit }) => {
  const { add } = screen
  if (!add || !mayAdd(screen.shows, may)) return null
  return (
    <a class="button main" href={href(add.to)}>
      <Icon name="plus" /> {t(add.label)}
    </a>
  )
}

/** Whoever may not create one is not offered to. */
function mayAdd(list: Visit['screen']['shows'], may: Visit['may']): boolean {
  const { path } = operations[list]
  const create = (Object.values(operations) as Declaration[]).find((op) => op.method === 'post' && op.path === path)
  return create === undefined || may(create.id as Visit['screen']['shows'])
}

export const Empty = ({ visit }: { visit: Visit }) => (
  <div class="card empty">
    <p>{t(isFiltered(visit) ? 'Nothing matches.' : (visit.screen.empty ?? 'There is nothing here yet.'))}</p>
    {isFiltered(visit) ? <a href={visit.path}>{t('Show all')}</a> : <Add visit={visit} />}
  </div>
)

const isFiltered = ({ screen, query }: Visit): boolean =>
  [...filtersOf(screen.shows).choices.map(({ name }) => name), 'q'].some((name) => (query.get(name) ?? '') !== '')

interface RowsProps {
  readonly visit: Visit
  readonly items: readonly Answered[]
  readonly total: number
}

const Rows = ({ visit, items, total }: RowsProps) => {
  const { screen } = visit
  const shown = items.slice(0, mostRows)
  return (
    <div class="card">
      <ItemTable
        visit={visit}
        caption={t(screen.title)}
        items={shown}
        columns={columnsOf(visit)}
        to={screen.to}
        action={rowAction(visit)}
      />
      <Pager visit={visit} count={shown.length} total={total} pages={filtersOf(screen.shows).pages} />
    </div>
  )
}

const columnsOf = ({ screen }: Visit): readonly string[] => {
  const { cli }: Declaration = operations[screen.shows]
  return screen.columns ?? cli?.columns ?? ['id']
}

/** What deletes or ends one row, where it has no page of its own. */
function rowAction(visit: Visit): ((item: Answered) => Child) | undefined {
  const acts = Object.keys(visit.screen.acts ?? {}) as Visit['screen']['shows'][]
  const [first] = acts.filter((op) => visit.may(op) && !visit.screen.acts?.[op]?.many)
  if (!first) return undefined
  return (item) => {
    const label = visit.screen.acts?.[first]?.label
    const { cli }: Declaration = operations[first]
    if (cli?.confirm)
      return (
        <a class="button" href={`${visit.path}?${withQuery(visit, { do: first, _item: item.id })}`}>
          {t(label ?? 'Delete')}…
        </a>
      )
    const form = visit.form(first, { item: item.id })
    return form ? <ButtonForm of={form} {...(label !== undefined && { label })} /> : null
  }
}

interface ItemTableProps {
  readonly visit: Visit
  readonly caption: string
  readonly items: readonly Answered[]
  readonly columns: readonly string[]
  /** The page of one of them. */
  readonly to?: string | undefined
  readonly action?: ((item: Answered) => Child) | undefined
}

/** A table of what an operation answered; the first column leads to the page of its row. */
export const ItemTable = ({ visit, caption, items, columns, to, action }: ItemTableProps) => {
  const cells = columns.map((field, place): Column<Answered> => {
    const value = (item: Answered) => <Cell field={field} value={valueAt(item, field)} now={visit.now} />
    const isLink = place === 0 && to !== undefined
    return {
      field,
      end: items.some((item) => standsAtEnd(field, valueAt(item, field))),
      cell: isLink ? (item) => <a href={visit.href(to, item)}>{value(item)}</a> : value,
      ...orderOf(visit, field),
    }
  })
  return <Table caption={caption} columns={cells} rows={items} {...(action && { action })} />
}

/** A list is ordered by when its items were made: by the link in that column's head. */
function orderOf(visit: Visit, field: string): Pick<Column<Answered>, 'order'> {
  if (field !== 'created_at' || !filtersOf(visit.screen.shows).orders) return {}
  const now = visit.query.get('order') ?? defaultOrder(visit)
  const href = `${visit.path}?${withQuery(visit, { order: now === 'asc' ? 'desc' : 'asc', page: '' })}`
  return { order: { href, now: now === 'asc' ? 'ascending' : 'descending' } }
}

const defaultOrder = ({ screen }: Visit): string => {
  const { cli }: Declaration = operations[screen.shows]
  return cli?.newest ? 'desc' : 'asc'
}
