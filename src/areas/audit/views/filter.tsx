import type { Child } from 'hono/jsx'
import { currentPathWith } from '../../../web/kit/format/query.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { listPage } from '../../../web/kit/lists/list.tsx'
import { Pills } from '../../../web/kit/lists/pills.tsx'
import { SearchForm } from '../../../web/kit/lists/search-box.tsx'
import type { View, ViewContext } from '../../../web/kit/screen.ts'
import { operationsNamed, summaryOf } from './operations.ts'

const day = 86_400_000

/** The filter's dates, and its operation once the text names a single one; of several, one is chosen first. */
export function filtersIn(query: URLSearchParams): Record<string, string> {
  const [operation, ...others] = operationsNamed(query.get('operation') ?? '')
  return { ...datesIn(query), ...(operation !== undefined && { operation: others.length === 0 ? operation : '' }) }
}

/** In milliseconds; the second one is included. */
function datesIn(query: URLSearchParams): Record<string, string> {
  const [since, until] = ['since', 'until'].map((name) => Date.parse(query.get(name) ?? ''))
  return {
    ...(query.has('since') && { since: Number.isNaN(since) ? '' : String(since) }),
    ...(query.has('until') && { until: Number.isNaN(until) ? '' : String(until! + day) }),
  }
}

/** Changes, with filters by person, account, date and operation. */
export const auditPage: View = (view) => listPage(view, <Filter view={view} />)

const Filter = ({ view }: { view: ViewContext }) => (
  <div class="filter">
    <SearchForm view={view} by={{ name: 'actor', label: 'Person', example: t('Person') }}>
      {view.screen.shows === 'listAudit' ? <Box view={view} name="username" label="Account" type="search" /> : null}
      <Box view={view} name="operation" label="What changed" type="search" />
      <Dated label="From">
        <Box view={view} name="since" label="From" type="date" />
      </Dated>
      <Dated label="to">
        <Box view={view} name="until" label="to" type="date" />
      </Dated>
    </SearchForm>
    <Choices view={view} />
  </div>
)

const MAX_CHOICES = 12

/** The operations that a text may mean. */
function Choices({ view }: { view: ViewContext }) {
  const named = operationsNamed(view.query.get('operation') ?? '')
  if (named.length < 2) return null
  const pills = named.slice(0, MAX_CHOICES).map((operation) => ({
    href: currentPathWith(view, { operation: summaryOf(operation), page: '' }),
    text: summaryOf(operation),
    isNow: false,
  }))
  return (
    <>
      <p class="soft">{t('Several changes are called so. Choose one:')}</p>
      <Pills label="Several changes are called so. Choose one:" of={pills} />
    </>
  )
}

const Dated = ({ label, children }: { label: string; children?: Child }) => (
  <span class="control">
    <span aria-hidden="true" class="soft">
      {t(label)}
    </span>
    {children}
  </span>
)

interface AuditFilterProps {
  readonly view: ViewContext
  readonly name: string
  readonly label: string
  readonly type: 'search' | 'date'
}

const Box = ({ view: { query }, name, label, type }: AuditFilterProps) => (
  <input
    type={type}
    name={name}
    value={query.get(name) ?? ''}
    aria-label={t(label)}
    placeholder={t(label)}
    autocapitalize="none"
    spellcheck={false}
  />
)
