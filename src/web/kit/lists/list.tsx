import type { Child } from 'hono/jsx'
import { type OperationId, operationList, operations } from '../../../contract/index.ts'
import type { Declaration } from '../../../contract/operation.ts'
import { actionsOf, asksFirst } from '../actions.ts'
import { LinkButton } from '../components/button.tsx'
import { cellOf, isEndAligned, isProse, valueAt } from '../components/cell.tsx'
import { Card } from '../components/page.tsx'
import { currentPathWith } from '../format/query.ts'
import { ButtonForm } from '../forms/form.tsx'
import { t } from '../i18n/i18n.ts'
import type { Answered, Looks, PageView, ViewContext } from '../screen.ts'
import { bulkActionsIn, Chosen, chooser } from './bulk-select.tsx'
import { ListFilter } from './filter.tsx'
import { filtersOf, isFiltered } from './filters.ts'
import { MAX_PAGE_SIZE, Pager } from './pager.tsx'
import { type Column, Table } from './table.tsx'

/** The default page of a list: filter, table, pager. */
export function listPage(view: ViewContext, filter: Child = <ListFilter view={view} />): PageView {
  const { screen, data } = view
  const items: Answered[] = data.items ?? []
  const total: number = data.total ?? items.length
  return {
    title: t(screen.title),
    count: total > 0 ? total : undefined,
    lead: screen.lead && t(screen.lead),
    actions: <Actions view={view} />,
    body: (
      <>
        {filter}
        {items.length === 0 ? <Empty view={view} /> : <Rows view={view} items={items} total={total} />}
      </>
    ),
  }
}

/** Whether the operation returns a list. */
export const isList = ({ answer }: Declaration): boolean =>
  answer !== undefined && 'shape' in answer && 'items' in (answer.shape as object)

export const Actions = ({ view }: { view: ViewContext }) => (
  <>
    {isList(operations[view.screen.shows]) && (view.data.items?.length > 0 || view.screen.since) ? (
      <LinkButton href={currentPathWith(view, { format: 'csv', page: '' })} label="Download CSV" />
    ) : null}
    <Add view={view} />
  </>
)

const Add = ({ view: { screen, href, may } }: { view: ViewContext }) => {
  const { add } = screen
  if (!add || !mayAdd(screen.shows, may)) return null
  return <LinkButton href={href(add.to)} label={add.label} look="main" icon="plus" />
}

/** Hides the button if the session may not create one. */
function mayAdd(list: OperationId, may: ViewContext['may']): boolean {
  const create = creates.get(operations[list].path)
  return create === undefined || may(create)
}

const creates: ReadonlyMap<string, OperationId> = new Map(
  operationList.filter(({ method }) => method === 'post').map(({ path, id }) => [path, id as OperationId]),
)

export const Empty = ({ view }: { view: ViewContext }) => (
  <div class="card empty">
    <p>{t(hasFilter(view) ? 'Nothing matches.' : (view.screen.empty ?? 'There is nothing here yet.'))}</p>
    {hasFilter(view) ? <a href={view.path}>{t('Show all')}</a> : <Add view={view} />}
  </div>
)

/** Also true if only earlier pages have rows. */
const hasFilter = ({ screen, query, data }: ViewContext): boolean => isFiltered(screen, query) || data.total > 0

interface RowsProps {
  readonly view: ViewContext
  readonly items: readonly Answered[]
  readonly total: number
}

const Rows = ({ view, items, total }: RowsProps) => {
  const { screen } = view
  const { rowEnd, rowDetails, looks, name = 'id' } = screen
  const visibleItems = items.slice(0, MAX_PAGE_SIZE)
  const choose = chooser()
  return (
    <Chosen view={view}>
      <ItemTable
        view={view}
        caption={screen.title}
        items={visibleItems}
        columns={columnsOf(view)}
        to={screen.to}
        looks={looks}
        below={rowDetails && ((item) => rowDetails(item, view))}
        action={rowEnd ? (item) => rowEnd(item, view) : rowAction(view)}
        choose={bulkActionsIn(view).length > 0 ? (item) => choose(item.id, item[name]) : undefined}
      />
      <Pager view={view} count={visibleItems.length} total={total} pages={filtersOf(screen).pages} />
    </Chosen>
  )
}

const columnsOf = ({ screen }: ViewContext): readonly string[] => {
  const { cli }: Declaration = operations[screen.shows]
  return screen.columns ?? cli?.columns ?? ['id']
}

/** The action that deletes or ends a row, if rows have no page of their own. */
export function rowAction(view: ViewContext): ((item: Answered) => Child) | undefined {
  const [first] = actionsOf(view.screen).filter((op) => view.may(op) && !view.screen.acts?.[op]?.many)
  if (!first) return undefined
  return (item) => {
    const label = view.screen.acts?.[first]?.label
    if (asksFirst(first))
      return <LinkButton href={currentPathWith(view, { do: first, _item: item.id })} label={label ?? 'Delete'} asks />
    return <ButtonForm of={view.form(first, { item: item.id })} label={label} />
  }
}

interface ItemTableProps {
  readonly view: ViewContext
  readonly caption: string
  readonly items: readonly Answered[]
  readonly columns: readonly string[]
  /** The page of an item. */
  readonly to?: string | undefined
  readonly action?: ((item: Answered) => Child) | undefined
  readonly choose?: ((item: Answered) => Child) | undefined
  readonly below?: ((item: Answered) => Child | undefined) | undefined
  readonly looks?: Looks | undefined
}

/** Longer machine values may be broken; a name, an address or a time never is. */
const MAX_UNBROKEN_LENGTH = 32

const isLong = (items: readonly Answered[], field: string): boolean =>
  items.some((item) => {
    const value = valueAt(item, field)
    return Array.isArray(value) ? value.length > 1 : typeof value === 'string' && value.length > MAX_UNBROKEN_LENGTH
  })

/** A table of an operation's items; the first column links to each item's page. */
export const ItemTable = ({ view, caption, items, columns, to, action, choose, below, looks = {} }: ItemTableProps) => {
  const { now } = view
  const cells = columns.map((field, place): Column<Answered> => {
    const look = looks[field] ?? {}
    const show = cellOf(field)
    const value = (item: Answered): Child => look.cell?.(item, now) ?? show(valueAt(item, field), now)
    const isLink = place === 0 && to !== undefined
    return {
      field,
      ...(look.label !== undefined && { label: look.label }),
      long: look.long ?? isLong(items, field),
      short: look.cell === undefined && !isProse(field) && !isLong(items, field),
      end: look.end ?? items.some((item) => isEndAligned(field, valueAt(item, field))),
      cell: isLink ? (item) => <a href={view.href(to, item)}>{value(item)}</a> : value,
      ...orderOf(view, field),
    }
  })
  return <Table caption={caption} columns={cells} rows={items} action={action} choose={choose} below={below} />
}

interface ItemCardProps extends Omit<ItemTableProps, 'caption'> {
  readonly title: string
  readonly extra?: Child
}

/** An item table in a card. */
export const ItemCard = ({ title, extra, ...table }: ItemCardProps) => (
  <Card title={title} extra={extra}>
    {table.items.length === 0 ? <p class="pad soft">{t('None yet.')}</p> : <ItemTable caption={title} {...table} />}
  </Card>
)

/** Column headings sort the list: by creation time, or by what the operation accepts. */
function orderOf(view: ViewContext, field: string): Pick<Column<Answered>, 'order'> {
  const { orders } = filtersOf(view.screen)
  // A page that sets its order itself cannot be sorted.
  const isSet = view.screen.asks?.(view.query, view.now)['order'] !== undefined
  if (!orders.includes(field) || isSet) return {}
  const isNow = (view.query.get('sort') ?? 'created_at') === field
  const now = view.query.get('order') ?? defaultOrder(view)
  const order = (isNow ? now : isSize(field) ? 'asc' : 'desc') === 'asc' ? 'desc' : 'asc'
  const href = currentPathWith(view, { sort: orders.length > 1 ? field : '', order, page: '' })
  return { order: { href, now: isNow ? (now === 'asc' ? 'ascending' : 'descending') : undefined } }
}

/** The largest come first. */
const isSize = (field: string): boolean => field.endsWith('_mb')

const defaultOrder = ({ screen }: ViewContext): string => {
  const { cli }: Declaration = operations[screen.shows]
  return cli?.newest ? 'desc' : 'asc'
}
