import type { Child } from 'hono/jsx'
import { Chip } from '../../../web/kit/chip.tsx'
import { count, megabytes } from '../../../web/kit/format.ts'
import { Actions, Empty } from '../../../web/kit/list.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { Chosen } from '../../../web/kit/many.tsx'
import { Pager } from '../../../web/kit/pager.tsx'
import { withQuery } from '../../../web/kit/query.ts'
import type { AccountView, Shown, Visit } from '../../../web/kit/screen.ts'
import { type Column, Table } from '../../../web/kit/table.tsx'
import { t } from '../../../web/kit/text.ts'
import { Day } from '../../../web/kit/time.tsx'

/** All accounts that the session may see: filters with counts where those cost nothing, and changes of many at once. */
export const accountsPage = (visit: Visit): Shown => ({
  title: t('Accounts'),
  count: visit.data.total,
  actions: <Actions visit={visit} />,
  body: (
    <>
      <Filter visit={visit} />
      {visit.data.items.length === 0 ? <Empty visit={visit} /> : <Rows visit={visit} items={visit.data.items} />}
    </>
  ),
})

const Rows = ({ visit, items }: { visit: Visit; items: readonly AccountView[] }) => (
  <Chosen visit={visit}>
    <Table
      caption={t('Accounts')}
      columns={columnsOf(visit)}
      rows={items}
      choose={({ id, username }) => (
        <input type="checkbox" name="_item" value={id} aria-label={t('Choose {name}', { name: username })} />
      )}
    />
    <Pager visit={visit} count={items.length} total={visit.data.total} pages />
  </Chosen>
)

const columnsOf = (visit: Visit): Column<AccountView>[] => [
  {
    field: 'username',
    order: orderBy(visit, 'username'),
    cell: (account) => (
      <a href={visit.href('/accounts/{username}', account)}>
        <Machine text={account.username} />
      </a>
    ),
  },
  { field: 'main_domain', cell: ({ main_domain }) => <Machine text={main_domain} /> },
  { field: 'package_name', label: 'Package', cell: ({ package_name }) => <bdi>{package_name}</bdi> },
  { field: 'owner_name', label: 'Owner', cell: ({ owner_name }) => <bdi>{owner_name}</bdi> },
  {
    field: 'disk_used_mb',
    label: 'Disk',
    end: true,
    cell: ({ disk_used_mb, disk_quota_mb }) => used(disk_used_mb, disk_quota_mb),
  },
  {
    field: 'bw_used_month_mb',
    label: 'Traffic',
    end: true,
    cell: ({ bw_used_month_mb }) => megabytes(bw_used_month_mb),
  },
  { field: 'status', cell: (account) => <Chip status={statusOf(account)} /> },
  {
    field: 'created_at',
    label: 'Created',
    end: true,
    order: orderBy(visit, 'created_at'),
    cell: ({ created_at }) => <Day at={created_at} />,
  },
]

const used = (amount: number, limit: number | undefined): Child => (
  <>
    {megabytes(amount)} {limit === undefined ? null : <small>{t('of {limit}', { limit: megabytes(limit) })}</small>}
  </>
)

const statusOf = ({ status, disk_used_mb, disk_quota_mb }: AccountView): string =>
  status === 'active' && disk_quota_mb !== undefined && disk_used_mb > disk_quota_mb ? 'over_quota' : status

function orderBy(visit: Visit, sort: string): { href: string; now?: 'ascending' | 'descending' } {
  const [field, order] = [visit.query.get('sort') ?? 'created_at', visit.query.get('order') ?? 'asc']
  const isNow = field === sort
  const next = isNow && order === 'asc' ? 'desc' : 'asc'
  return {
    href: `${visit.path}?${withQuery(visit, { sort, order: next, page: '' })}`,
    ...(isNow && { now: order === 'asc' ? ('ascending' as const) : ('descending' as const) }),
  }
}

const filters = [
  ['All', {}],
  ['Active', { status: 'active' }],
  ['Suspended', { status: 'suspended' }],
  ['Over quota', { over_quota: 'true' }],
  ['Provisioning', { status: 'provisioning' }],
] as const satisfies readonly (readonly [string, Readonly<Record<string, string>>])[]

const none = { status: '', over_quota: '', page: '' }

const Filter = ({ visit }: { visit: Visit }) => (
  <div class="filter">
    <search>
      <form method="get" action={visit.path}>
        <input
          type="search"
          name="q"
          value={visit.query.get('q') ?? ''}
          placeholder={t('Username or domain')}
          aria-label={t('Username or domain')}
          autocapitalize="none"
          spellcheck={false}
        />
        <button type="submit">{t('Filter')}</button>
      </form>
    </search>
    <ul class="pills" aria-label={t('Status')}>
      {filters.map(([label, changes]) => (
        <li>
          <a
            href={`${visit.path}?${withQuery(visit, { ...none, ...changes })}`}
            {...(isChosen(visit, changes) ? { 'aria-current': 'true' } : {})}
          >
            {t(label)} <Count visit={visit} of={changes} />
          </a>
        </li>
      ))}
    </ul>
  </div>
)

const isChosen = (
  { query }: Visit,
  { status = '', over_quota = '' }: { status?: string; over_quota?: string },
): boolean => (query.get('status') ?? '') === status && (query.get('over_quota') ?? '') === over_quota

/** Counts that an index gives at once. */
const Count = ({ visit, of }: { visit: Visit; of: { status?: string; over_quota?: string } }) => {
  const answer = visit.also[of.over_quota ? 'over_quota' : (of.status ?? '')]
  return answer ? <small>{count(answer.total)}</small> : null
}
