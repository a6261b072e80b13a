import type { Child } from 'hono/jsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { listPage } from '../../../web/kit/lists/list.tsx'
import { SearchForm } from '../../../web/kit/lists/search-box.tsx'
import type { View, ViewContext } from '../../../web/kit/screen.ts'

const day = 86_400_000

/** The dates of the filter in milliseconds; the second one is included. */
export function datesIn(query: URLSearchParams): Record<string, string> {
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
      <Box view={view} name="operation" label="Operation" type="search" />
      <Dated label="From">
        <Box view={view} name="since" label="From" type="date" />
      </Dated>
      <Dated label="to">
        <Box view={view} name="until" label="to" type="date" />
      </Dated>
    </SearchForm>
  </div>
)

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
