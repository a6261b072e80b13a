import { Json } from '../../../web/kit/json.tsx'
import { ItemTable } from '../../../web/kit/list.tsx'
import { Pager } from '../../../web/kit/pager.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** Who changed what, from where. */
export function auditPage(visit: Visit): Shown {
  const { items, total } = visit.data
  return {
    title: t(visit.screen.title),
    body: (
      <>
        <Filter visit={visit} />
        {total === 0 ? (
          <p class="card empty">{t(visit.screen.empty ?? '')}</p>
        ) : (
          <div class="card">
            <ItemTable
              visit={visit}
              caption={t(visit.screen.title)}
              items={items}
              columns={visit.screen.columns ?? []}
              action={(item: Answered) => <Json of={item} />}
            />
            <Pager visit={visit} count={items.length} total={total} pages />
          </div>
        )}
      </>
    ),
  }
}

const Filter = ({ visit }: { visit: Visit }) => (
  <search class="filter">
    <form method="get" action={visit.path}>
      <input
        type="search"
        name="operation"
        value={visit.query.get('operation') ?? ''}
        placeholder="suspendAccount"
        aria-label={t('Operation')}
        autocapitalize="none"
        spellcheck={false}
      />
      <button type="submit">{t('Filter')}</button>
    </form>
  </search>
)
