import { Json } from '../../../web/kit/json.tsx'
import { ItemTable } from '../../../web/kit/list.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { withQuery } from '../../../web/kit/query.ts'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

const columns = ['created_at', 'type', 'data.account.username', 'data.object', 'data.actor.type', 'data.via', 'seq']
const mostRows = 200

/** What happened, the newest first, with the cursor from which a program would go on. */
export function eventsPage(visit: Visit): Shown {
  const items: readonly Answered[] = visit.data.items.toReversed()
  return {
    title: t(visit.screen.title),
    lead: (
      <>
        {t('The cursor of the feed is')} <Machine text={String(visit.data.next)} />
      </>
    ),
    body: (
      <>
        <Filter visit={visit} />
        {items.length === 0 ? (
          <p class="card empty">{t(visit.screen.empty ?? '')}</p>
        ) : (
          <Rows visit={visit} items={items} />
        )}
      </>
    ),
  }
}

const Rows = ({ visit, items }: { visit: Visit; items: readonly Answered[] }) => (
  <div class="card">
    <ItemTable
      visit={visit}
      caption={t(visit.screen.title)}
      items={items.slice(0, mostRows)}
      columns={columns}
      action={(item) => <Json of={item} />}
    />
    {items.length === 500 ? (
      <p class="foot">
        <a class="button" href={`${visit.path}?${withQuery(visit, { after: String(items[0].seq) })}`}>
          {t('Newer')}
        </a>
      </p>
    ) : null}
  </div>
)

const spans = [
  ['1', 'Last hour'],
  ['24', 'Last day'],
  ['168', 'Last week'],
  ['720', 'Last 30 days'],
] as const

const Filter = ({ visit }: { visit: Visit }) => (
  <div class="filter">
    <search>
      <form method="get" action={visit.path}>
        <input
          name="type"
          type="search"
          value={visit.query.get('type') ?? ''}
          placeholder="dns.*, account.suspended"
          aria-label={t('Event types')}
        />
        <button type="submit">{t('Filter')}</button>
      </form>
    </search>
    <ul class="pills" aria-label={t('Time')}>
      {spans.map(([hours, label]) => (
        <li>
          <a
            href={`${visit.path}?${withQuery(visit, { hours, after: '' })}`}
            {...(visit.query.get('hours') === hours ? { 'aria-current': 'true' } : {})}
          >
            {t(label)}
          </a>
        </li>
      ))}
    </ul>
  </div>
)
