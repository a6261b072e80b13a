import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Code, Command } from '../../../web/kit/components/code.tsx'
import { EventSentence } from '../../../web/kit/components/event-sentence.tsx'
import { RowJson } from '../../../web/kit/components/json.tsx'
import { currentPathWith } from '../../../web/kit/format/query.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemTable } from '../../../web/kit/lists/list.tsx'
import { MAX_PAGE_SIZE } from '../../../web/kit/lists/pager.tsx'
import { Pills } from '../../../web/kit/lists/pills.tsx'
import { HiddenQuery, SearchForm } from '../../../web/kit/lists/search-box.tsx'
import { sideOf } from '../../../web/kit/page-scope.ts'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

const columns = ['created_at', 'what', 'data.account.username', 'data.actor.type', 'data.via', 'seq']

/** Events, newest first, with the cursor from which a program would continue. */
export function eventsPage(view: ViewContext): PageView {
  const items: readonly Answered[] = view.data.items.toReversed()
  return {
    title: t(view.screen.title),
    lead: (
      <>
        {t('The cursor of the feed is')} <Code text={String(view.data.next)} /> · <Command words={following(view)} />
      </>
    ),
    body: (
      <>
        <Filter view={view} />
        {items.length === 0 ? (
          <p class="card empty">{t(view.screen.empty ?? '')}</p>
        ) : (
          <Rows view={view} items={items} />
        )}
      </>
    ),
  }
}

/** The command that continues from here. */
function following({ panel, account, query, data }: ViewContext): string[] {
  const type = query.get('type')
  return [
    ...['panel', 'events', 'tail', '--after', String(data.next)],
    ...(type ? ['--type', type] : []),
    ...(panel === 'admin' && account ? ['-a', account.username] : []),
  ]
}

const Rows = ({ view, items }: { view: ViewContext; items: readonly Answered[] }) => (
  <div class="card">
    <ItemTable
      view={view}
      caption={view.screen.title}
      items={items}
      columns={sideOf(view.screen) === 'server' ? columns : columns.filter((name) => name !== 'data.account.username')}
      looks={{ what: { cell: (item) => <EventSentence event={item} /> } }}
      action={(item) => <RowJson view={view} of={item} />}
    />
    {items.length === MAX_PAGE_SIZE ? (
      <p class="foot">
        <LinkButton href={currentPathWith(view, { after: String(items[0].seq) })} label="Newer" />
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

const Filter = ({ view }: { view: ViewContext }) => (
  <div class="filter">
    <SearchForm view={view} by={byType}>
      <HiddenQuery name="hours" query={view.query} />
    </SearchForm>
    <Pills
      label="Time"
      of={spans.map(([hours, label]) => ({
        href: currentPathWith(view, { hours, after: '' }),
        text: t(label),
        isNow: view.query.get('hours') === hours,
      }))}
    />
  </div>
)
