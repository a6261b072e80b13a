import type { Child } from 'hono/jsx'
import { prose } from '../../../web/kit/cell.tsx'
import { Chip } from '../../../web/kit/chip.tsx'
import { count, megabytes } from '../../../web/kit/format.ts'
import { framed } from '../../../web/kit/jsx/written.ts'
import { listPage } from '../../../web/kit/list.tsx'
import { type Pill, Pills } from '../../../web/kit/pills.tsx'
import { hereWith } from '../../../web/kit/query.ts'
import type { AccountView, Looks, Shown, Visit } from '../../../web/kit/screen.ts'
import { Kept, SearchForm } from '../../../web/kit/search-box.tsx'
import { t } from '../../../web/kit/text.ts'
import { Day } from '../../../web/kit/time.tsx'

/** All accounts that the session may see, with filters, their counts if those are cheap, and bulk actions. */
export const accountsPage = (visit: Visit): Shown => listPage(visit, <Filter visit={visit} />)

export const looks: Looks = {
  package_name: { cell: ({ package_name }) => prose(package_name) },
  owner_name: { cell: ({ owner_name }) => prose(owner_name) },
  disk_used_mb: { end: true, cell: diskOf },
  status: { cell: (account) => Chip({ status: statusOf(account) }) },
  created_at: { end: true, cell: ({ created_at }) => Day({ at: created_at }) },
}

const small = framed(<small />)

function diskOf({ disk_used_mb, disk_quota_mb: limit }: AccountView): Child {
  const used = `${megabytes(disk_used_mb)} `
  return limit === undefined ? used : [used, small(t('of {limit}', { limit: megabytes(limit) }))]
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
] as const

const Filter = ({ visit }: { visit: Visit }) => (
  <div class="filter">
    <SearchForm visit={visit} by={visit.screen.search}>
      <Kept name="status" query={visit.query} />
      <Kept name="over_quota" query={visit.query} />
      <Kept name="package_id" query={visit.query} />
      <Kept name="owner_id" query={visit.query} />
    </SearchForm>
    <Pills
      label="Status"
      of={filters.map(([label, asked]) => ({
        href: hereWith(visit, { ...asked, page: '' }),
        text: (
          <>
            {t(label)} <Count visit={visit} of={asked} />
          </>
        ),
        isNow: Object.entries(asked).every(([name, value]) => (visit.query.get(name) ?? '') === value),
      }))}
    />
    <Pills label="Package and owner" of={members.flatMap((member) => memberPill(visit, member))} />
  </div>
)

/** Chosen on their own lists, so that this page need not read them. */
const members = [
  { list: 'listPackages', page: '/packages', filter: 'package_id', label: 'Package', name: 'package_name' },
  { list: 'listResellers', page: '/resellers', filter: 'owner_id', label: 'Owner', name: 'owner_name' },
] as const

function memberPill(visit: Visit, { list, page, filter, label, name }: (typeof members)[number]): Pill[] {
  const chosen = visit.query.get(filter)
  if (!chosen) return visit.may(list) ? [{ href: visit.href(page), text: anyOf(label), isNow: false }] : []
  const called = visit.data.items[0]?.[name] ?? chosen
  const text = [`${t(label)}: `, prose(called)]
  return [{ href: hereWith(visit, { [filter]: '', page: '' }), text, isNow: true }]
}

const anyOf = (label: string): string => t('{name}: any', { name: t(label) })

/** Counts that an index answers immediately. */
const Count = ({ visit, of }: { visit: Visit; of: typeof none }) => {
  const answer = visit.also[of.over_quota ? 'over_quota' : of.status]
  return answer ? <small>{count(answer.total)}</small> : null
}
