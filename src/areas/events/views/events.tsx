import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Code, Command } from '../../../web/kit/components/code.tsx'
import { EventSentence } from '../../../web/kit/components/event-sentence.tsx'
import { jsonBelow, RowJson } from '../../../web/kit/components/json.tsx'
import { currentPathWith } from '../../../web/kit/format/query.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { worded } from '../../../web/kit/i18n/label.ts'
import { wordOf } from '../../../web/kit/i18n/value-words.ts'
import { ItemTable } from '../../../web/kit/lists/list.tsx'
import { MAX_PAGE_SIZE } from '../../../web/kit/lists/pager.tsx'
import { Pills } from '../../../web/kit/lists/pills.tsx'
import { HiddenQuery, SearchForm } from '../../../web/kit/lists/search-box.tsx'
import { sideOf } from '../../../web/kit/page-scope.ts'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

const columns = ['what', 'created_at', 'data.account.username', 'data.actor.id', 'data.via']
const columnsForPeople = ['what', 'created_at', 'data.actor.id']

/** Events, newest first: one line per change, unless its job is asked for too. */
export function eventsPage(view: ViewContext): PageView {
  const items: readonly Answered[] = view.data.items
  const visible = showsJobs(view) ? items : items.filter(({ type }) => type !== 'job.completed')
  return {
    title: t(view.screen.title),
    body: (
      <>
        <Filter view={view} />
        {visible.length === 0 ? <p class="card empty">{t(view.screen.empty ?? '')}</p> : null}
        <Rows view={view} items={visible} isFull={items.length === MAX_PAGE_SIZE} />
        <Follow view={view} newest={items[0]?.['seq']} />
      </>
    ),
  }
}

/** A job that ended well says again what the change before it said. */
const showsJobs = ({ query }: ViewContext): boolean => query.get('jobs') === 'true' || query.get('type') !== null

const isForServer = ({ screen }: ViewContext): boolean => sideOf(screen) === 'server'

/** For programs of root; those of a customer follow the feed too, but its page is for people. */
const Follow = ({ view, newest }: { view: ViewContext; newest: number | undefined }) =>
  isForServer(view) && !view.query.get('before') ? (
    <details class="more">
      <summary>{t('More')}</summary>
      <p>
        {t('To follow what happens from here:')} <Command words={following(view, newest)} />
      </p>
    </details>
  ) : null

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
  <div class="card" hidden={items.length === 0 && !isFull}>
    {items.length === 0 ? null : (
      <ItemTable
        view={view}
        caption={view.screen.title}
        items={items}
        columns={isForServer(view) ? columns : columnsForPeople}
        below={(item) => jsonBelow(item, view)}
        looks={{
          what: { long: true, cell: (item) => <EventSentence event={item} /> },
          'data.actor.id': { label: 'Who', cell: (item) => <Actor of={item} names={namesIn(view)} /> },
        }}
        action={(item) => <RowJson view={view} of={item} />}
      />
    )}
    {isFull ? (
      <p class="foot">
        <LinkButton href={currentPathWith(view, { before: String(view.data.next) })} label="Older" />
      </p>
    ) : null}
  </div>
)

/** The usernames that the page knows, by id. */
const namesIn = ({ data, account, sections }: ViewContext): ReadonlyMap<string, string> =>
  new Map([
    ...(sections['resellers']?.items ?? []).map((one: Answered) => [one.id, one.username]),
    ...data.items.flatMap((one: Answered) =>
      one.data.account ? [[one.data.account.id, one.data.account.username]] : [],
    ),
    ...(account ? [[account.id, account.username]] : []),
  ])

/** Who did it, by name; a customer is not told the name of a reseller. */
const Actor = ({ of: { data }, names }: { of: Answered; names: ReadonlyMap<string, string> }) => {
  const { type, id } = data.actor
  const name = type === 'root' ? 'root' : names.get(id)
  return name === undefined ? <>{t(wordOf(type) ?? worded(type))}</> : <Code text={name} />
}

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
        <HiddenQuery name="jobs" query={view.query} />
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
    {isForServer(view) ? (
      <Pills
        label="Jobs"
        of={[
          {
            href: currentPathWith(view, { jobs: view.query.get('jobs') ? '' : 'true', before: '' }),
            text: t('With completed jobs'),
            isNow: view.query.get('jobs') === 'true',
          },
        ]}
      />
    ) : null}
  </div>
)
