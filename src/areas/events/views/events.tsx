import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Code, Command } from '../../../web/kit/components/code.tsx'
import { EventSentence } from '../../../web/kit/components/event-sentence.tsx'
import { jsonBelow, RowJson } from '../../../web/kit/components/json.tsx'
import { currentPathWith } from '../../../web/kit/format/query.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemTable } from '../../../web/kit/lists/list.tsx'
import { MAX_PAGE_SIZE } from '../../../web/kit/lists/pager.tsx'
import { Pills } from '../../../web/kit/lists/pills.tsx'
import { HiddenQuery, SearchForm } from '../../../web/kit/lists/search-box.tsx'
import { sideOf } from '../../../web/kit/page-scope.ts'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

const columns = ['what', 'created_at', 'data.account.username', 'data.actor.type', 'data.via', 'seq']
const columnsForPeople = ['what', 'created_at', 'data.actor.type']

/** Events, newest first, with the cursor from which a program would continue. */
export function eventsPage(view: ViewContext): PageView {
  const items: readonly Answered[] = view.data.items
  const isNewest = !view.query.get('before')
  const cursor: number | undefined = items[0]?.['seq']
  const visible = isForServer(view) ? items : items.filter(({ type }) => type !== 'job.completed')
  return {
    title: t(view.screen.title),
    // Programs of a customer follow the feed, too; its page is for people.
    lead: isForServer(view) && isNewest && (
      <>
        {cursor === undefined ? null : (
          <>
            {t('The cursor of the feed is')} <Code text={String(cursor)} /> ·{' '}
          </>
        )}
        <Command words={following(view, cursor)} />
      </>
    ),
    body: (
      <>
        <Filter view={view} />
        {visible.length === 0 ? (
          <p class="card empty">{t(view.screen.empty ?? '')}</p>
        ) : (
          <Rows view={view} items={visible} isFull={items.length === MAX_PAGE_SIZE} />
        )}
      </>
    ),
  }
}

const isForServer = ({ screen }: ViewContext): boolean => sideOf(screen) === 'server'

/** The command that continues from here; without events from now. */
function following({ panel, account, query }: ViewContext, cursor: number | undefined): string[] {
  const type = query.get('type')
  return [
    ...['panel', 'events', 'tail'],
    ...(cursor === undefined ? [] : ['--after', String(cursor)]),
    ...(type ? ['--type', type] : []),
    ...(panel === 'admin' && account ? ['-a', account.username] : []),
  ]
}

interface RowsProps {
  readonly view: ViewContext
  readonly items: readonly Answered[]
  /** Whether there may be more. */
  readonly isFull: boolean
}

const Rows = ({ view, items, isFull }: RowsProps) => (
  <div class="card">
    <ItemTable
      view={view}
      caption={view.screen.title}
      items={items}
      columns={isForServer(view) ? columns : columnsForPeople}
      below={(item) => jsonBelow(item, view)}
      looks={{ what: { long: true, cell: (item) => <EventSentence event={item} /> } }}
      action={(item) => <RowJson view={view} of={item} />}
    />
    {isFull ? (
      <p class="foot">
        <LinkButton href={currentPathWith(view, { before: String(view.data.next) })} label="Older" />
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
    {isForServer(view) ? (
      <SearchForm view={view} by={byType}>
        <HiddenQuery name="hours" query={view.query} />
      </SearchForm>
    ) : null}
    <Pills
      label="Time"
      of={spans.map(([hours, label]) => ({
        href: currentPathWith(view, { hours, before: '' }),
        text: t(label),
        isNow: view.query.get('hours') === hours,
      }))}
    />
  </div>
)
