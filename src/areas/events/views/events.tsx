import { LinkButton } from '../../../web/kit/button.tsx'
import { Happened } from '../../../web/kit/happened.tsx'
import { RowJson } from '../../../web/kit/json.tsx'
import { ItemTable } from '../../../web/kit/list.tsx'
import { Command, Machine } from '../../../web/kit/machine.tsx'
import { mostRows } from '../../../web/kit/pager.tsx'
import { Pills } from '../../../web/kit/pills.tsx'
import { hereWith } from '../../../web/kit/query.ts'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { Kept, SearchForm } from '../../../web/kit/search-box.tsx'
import { sideOf } from '../../../web/kit/side.ts'
import { t } from '../../../web/kit/text.ts'

const columns = ['created_at', 'what', 'data.account.username', 'data.actor.type', 'data.via', 'seq']

/** Events, newest first, with the cursor from which a program would continue. */
export function eventsPage(visit: Visit): Shown {
  const items: readonly Answered[] = visit.data.items.toReversed()
  return {
    title: t(visit.screen.title),
    lead: (
      <>
        {t('The cursor of the feed is')} <Machine text={String(visit.data.next)} /> ·{' '}
        <Command words={following(visit)} />
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

/** The command that continues from here. */
function following({ panel, account, query, data }: Visit): string[] {
  const type = query.get('type')
  return [
    ...['panel', 'events', 'tail', '--after', String(data.next)],
    ...(type ? ['--type', type] : []),
    ...(panel === 'admin' && account ? ['-a', account.username] : []),
  ]
}

const Rows = ({ visit, items }: { visit: Visit; items: readonly Answered[] }) => (
  <div class="card">
    <ItemTable
      visit={visit}
      caption={visit.screen.title}
      items={items}
      columns={sideOf(visit.screen) === 'server' ? columns : columns.filter((name) => name !== 'data.account.username')}
      looks={{ what: { cell: (item) => <Happened event={item} /> } }}
      action={(item) => <RowJson visit={visit} of={item} />}
    />
    {items.length === mostRows ? (
      <p class="foot">
        <LinkButton href={hereWith(visit, { after: String(items[0].seq) })} label="Newer" />
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

const byType = { name: 'type', label: 'Event types', example: 'dns.*, account.suspended' }

const Filter = ({ visit }: { visit: Visit }) => (
  <div class="filter">
    <SearchForm visit={visit} by={byType}>
      <Kept name="hours" query={visit.query} />
    </SearchForm>
    <Pills
      label="Time"
      of={spans.map(([hours, label]) => ({
        href: hereWith(visit, { hours, after: '' }),
        text: t(label),
        isNow: visit.query.get('hours') === hours,
      }))}
    />
  </div>
)
