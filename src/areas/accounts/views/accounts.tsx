import type { Child } from 'hono/jsx'
import { prose } from '../../../web/kit/components/cell.tsx'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { Day } from '../../../web/kit/components/time.tsx'
import { count, limitMegabytes, megabytes } from '../../../web/kit/format/format.ts'
import { currentPathWith } from '../../../web/kit/format/query.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { listPage } from '../../../web/kit/lists/list.tsx'
import { type Pill, Pills } from '../../../web/kit/lists/pills.tsx'
import { HiddenQuery, SearchForm } from '../../../web/kit/lists/search-box.tsx'
import type { AccountView, Looks, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** All accounts that the session may see, with filters, their counts if those are cheap, and bulk actions. */
export const accountsPage = (view: ViewContext): PageView => listPage(view, <Filter view={view} />)

export const looks: Looks = {
  package_name: { cell: ({ package_name }) => prose(package_name) },
  owner_name: { cell: ({ owner_name }) => prose(owner_name) },
  disk_used_mb: { end: true, cell: diskOf },
  status: { cell: (account) => <Chip status={statusOf(account)} /> },
  created_at: { end: true, cell: ({ created_at }) => <Day at={created_at} /> },
}

function diskOf({ disk_used_mb, disk_quota_mb: limit }: AccountView): Child {
  const used = `${megabytes(disk_used_mb)} `
  if (limit === undefined) return used
  return (
    <>
      {used}
      <small>{t('of {limit}', { limit: limitMegabytes(limit) })}</small>
    </>
  )
}

const statusOf = ({ status, disk_used_mb, disk_quota_mb }: AccountView): string =>
  status === 'active' && disk_quota_mb !== undefined && disk_used_mb > disk_quota_mb ? 'over_quota' : status

const none = { status: '', over_quota: '' }

const filters = [
  ['All', none],
  ['Active', { ...none, status: 'active' }],
  ['Suspended', { ...none, status: 'suspended' }],
  ['Over quota', { ...none, over_quota: 'true' }],
  ['Provisioning', { ...none, status: 'provisioning' }],
  ['Importing', { ...none, status: 'importing' }],
] as const

const Filter = ({ view }: { view: ViewContext }) => (
  <div class="filter">
    <SearchForm view={view} by={view.screen.search}>
      <HiddenQuery name="status" query={view.query} />
      <HiddenQuery name="over_quota" query={view.query} />
      <HiddenQuery name="package_id" query={view.query} />
      <HiddenQuery name="owner_id" query={view.query} />
    </SearchForm>
    <Pills
      label="Status"
      of={filters.map(([label, query]) => ({
        href: currentPathWith(view, { ...query, page: '' }),
        text: (
          <>
            {t(label)} <Count view={view} of={query} />
          </>
        ),
        isNow: Object.entries(query).every(([name, value]) => (view.query.get(name) ?? '') === value),
      }))}
    />
    <Pills label="Package and owner" of={members.flatMap((member) => memberPill(view, member))} />
  </div>
)

/** Chosen on their own lists, so that this page need not read them. */
const members = [
  { list: 'listPackages', page: '/packages', filter: 'package_id', label: 'Package', name: 'package_name' },
  { list: 'listResellers', page: '/resellers', filter: 'owner_id', label: 'Owner', name: 'owner_name' },
] as const

function memberPill(view: ViewContext, { list, page, filter, label, name }: (typeof members)[number]): Pill[] {
  const chosen = view.query.get(filter)
  if (!chosen) return view.may(list) ? [{ href: view.href(page), text: anyOf(label), isNow: false }] : []
  const called = view.data.items[0]?.[name] ?? chosen
  const text = [`${t(label)}: `, prose(called)]
  return [{ href: currentPathWith(view, { [filter]: '', page: '' }), text, isNow: true }]
}

const anyOf = (label: string): string => t('{name}: any', { name: t(label) })

/** Counts that an index answers immediately. */
const Count = ({ view, of }: { view: ViewContext; of: typeof none }) => {
  const answer = view.sections[of.over_quota ? 'over_quota' : of.status]
  return answer ? <small>{count(answer.total)}</small> : null
}
