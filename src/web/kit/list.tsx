import type { Child } from 'hono/jsx'
import { type OperationId, operationList, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { actsOf, asksFirst } from './acts.ts'
import { LinkButton } from './button.tsx'
import { cellOf, standsAtEnd, valueAt } from './cell.tsx'
import { ListFilter } from './filter.tsx'
import { filtersOf, isFiltered } from './filters.ts'
import { ButtonForm } from './form.tsx'
import { pattern } from './jsx/written.ts'
import { Chosen, chooser, manyIn } from './many.tsx'
import { Card } from './page.tsx'
import { mostRows, Pager } from './pager.tsx'
import { hereWith } from './query.ts'
import type { Answered, Looks, Shown, Visit } from './screen.ts'
import { type Column, Table } from './table.tsx'
import { t } from './text.ts'

/** The default page of a list: filter, table, pager. */
export function listPage(visit: Visit, filter: Child = <ListFilter visit={visit} />): Shown {
  const { screen, data } = visit
  const items: Answered[] = data.items ?? []
  const total: number = data.total ?? items.length
  return {
    title: t(screen.title),
    count: total > 0 ? total : undefined,
    lead: screen.lead && t(screen.lead),
    actions: <Actions visit={visit} />,
    body: (
      <>
        {filter}
        {items.length === 0 ? <Empty visit={visit} /> : <Rows visit={visit} items={items} total={total} />}
      </>
    ),
  }
}

/** Whether the operation returns a list. */
export const isList = ({ answer }: Declaration): boolean =>
  answer !== undefined && 'shape' in answer && 'items' in (answer.shape as object)

export const Actions = ({ visit }: { visit: Visit }) => (
  <>
    {isList(operations[visit.screen.shows]) ? (
      <LinkButton href={hereWith(visit, { format: 'csv', page: '' })} label="Download CSV" />
    ) : null}
    <Add visit={visit} />
  </>
)

const Add = ({ visit: { screen, href, may } }: { visit: Visit }) => {
  const { add } = screen
  if (!add || !mayAdd(screen.shows, may)) return null
  return <LinkButton href={href(add.to)} label={add.label} look="main" icon="plus" />
}

/** Hides the button if the session may not create one. */
function mayAdd(list: OperationId, may: Visit['may']): boolean {
  const create = creates.get(operations[list].path)
  return create === undefined || may(create)
}

const creates: ReadonlyMap<string, OperationId> = new Map(
  operationList.filter(({ method }) => method === 'post').map(({ path, id }) => [path, id as OperationId]),
)

export const Empty = ({ visit }: { visit: Visit }) => (
  <div class="card empty">
    <p>{t(hasFilter(visit) ? 'Nothing matches.' : (visit.screen.empty ?? 'There is nothing here yet.'))}</p>
    {hasFilter(visit) ? <a href={visit.path}>{t('Show all')}</a> : <Add visit={visit} />}
  </div>
)

/** Also true if only earlier pages have rows. */
const hasFilter = ({ screen, query, data }: Visit): boolean => isFiltered(screen, query) || data.total > 0

interface RowsProps {
  readonly visit: Visit
  readonly items: readonly Answered[]
  readonly total: number
}

const Rows = ({ visit, items, total }: RowsProps) => {
  const { screen } = visit
  const { rowEnd, looks, name = 'id' } = screen
  const shown = items.slice(0, mostRows)
  const choose = chooser()
  return (
    <Chosen visit={visit}>
      <ItemTable
        visit={visit}
        caption={screen.title}
        items={shown}
        columns={columnsOf(visit)}
        to={screen.to}
        looks={looks}
        action={rowEnd ? (item) => rowEnd(item, visit) : rowAction(visit)}
        choose={manyIn(visit).length > 0 ? (item) => choose(item.id, item[name]) : undefined}
      />
      <Pager visit={visit} count={shown.length} total={total} pages={filtersOf(screen).pages} />
    </Chosen>
  )
}

const columnsOf = ({ screen }: Visit): readonly string[] => {
  const { cli }: Declaration = operations[screen.shows]
  return screen.columns ?? cli?.columns ?? ['id']
}

/** The action that deletes or ends a row, if rows have no page of their own. */
export function rowAction(visit: Visit): ((item: Answered) => Child) | undefined {
  const [first] = actsOf(visit.screen).filter((op) => visit.may(op) && !visit.screen.acts?.[op]?.many)
  if (!first) return undefined
  return (item) => {
    const label = visit.screen.acts?.[first]?.label
    if (asksFirst(first))
      return <LinkButton href={hereWith(visit, { do: first, _item: item.id })} label={label ?? 'Delete'} asks />
    return <ButtonForm of={visit.form(first, { item: item.id })} label={label} />
  }
}

interface ItemTableProps {
  readonly visit: Visit
  readonly caption: string
  readonly items: readonly Answered[]
  readonly columns: readonly string[]
  /** The page of an item. */
  readonly to?: string | undefined
  readonly action?: ((item: Answered) => Child) | undefined
  readonly choose?: ((item: Answered) => Child) | undefined
  readonly looks?: Looks | undefined
}

const link = pattern<'href' | 'inner'>(({ href, inner }) => <a href={href}>{inner}</a>)

/** A table of an operation's items; the first column links to each item's page. */
export const ItemTable = ({ visit, caption, items, columns, to, action, choose, looks = {} }: ItemTableProps) => {
  const { now } = visit
  const cells = columns.map((field, place): Column<Answered> => {
    const look = looks[field] ?? {}
    const show = cellOf(field)
    const value = (item: Answered): Child => look.cell?.(item, now) ?? show(valueAt(item, field), now)
    const isLink = place === 0 && to !== undefined
    return {
      field,
      ...(look.label !== undefined && { label: look.label }),
      end: look.end ?? items.some((item) => standsAtEnd(field, valueAt(item, field))),
      cell: isLink ? (item) => link({ href: visit.href(to, item), inner: value(item) }) : value,
      ...orderOf(visit, field),
    }
  })
  return <Table caption={caption} columns={cells} rows={items} action={action} choose={choose} />
}

interface ItemCardProps extends Omit<ItemTableProps, 'caption'> {
  readonly title: string
  readonly aside?: Child
}

/** An item table in a card. */
export const ItemCard = ({ title, aside, ...table }: ItemCardProps) => (
  <Card title={title} aside={aside}>
    {table.items.length === 0 ? <p class="pad soft">{t('None yet.')}</p> : <ItemTable caption={title} {...table} />}
  </Card>
)

/** Column headings sort the list: by creation time, or by what the operation accepts. */
function orderOf(visit: Visit, field: string): Pick<Column<Answered>, 'order'> {
  const { orders } = filtersOf(visit.screen)
  if (!orders.includes(field)) return {}
  const isNow = (visit.query.get('sort') ?? 'created_at') === field
  const now = visit.query.get('order') ?? defaultOrder(visit)
  const order = isNow && now === 'asc' ? 'desc' : 'asc'
  const href = hereWith(visit, { sort: orders.length > 1 ? field : '', order, page: '' })
  return { order: { href, now: isNow ? (now === 'asc' ? 'ascending' : 'descending') : undefined } }
}

const defaultOrder = ({ screen }: Visit): string => {
  const { cli }: Declaration = operations[screen.shows]
  return cli?.newest ? 'desc' : 'asc'
}
