import { LinkButton } from '../../../web/kit/components/button.tsx'
import { count } from '../../../web/kit/format/format.ts'
import { currentPathWith } from '../../../web/kit/format/query.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { headOf } from '../../../web/kit/i18n/label.ts'
import { Chosen, chooser } from '../../../web/kit/lists/bulk-select.tsx'
import { Actions, Empty, ItemTable } from '../../../web/kit/lists/list.tsx'
import { SearchForm, Select } from '../../../web/kit/lists/search-box.tsx'
import type { Action, Answered, Rows, Screen, View, ViewContext } from '../../../web/kit/screen.ts'

const Filter = ({ view }: { view: ViewContext }) => (
  <div class="filter">
    <SearchForm view={view} by={{ name: 'sender', label: 'Sender' }}>
      <input
        type="search"
        name="recipient_domain"
        value={view.query.get('recipient_domain') ?? ''}
        aria-label={t('Recipient domain')}
        placeholder={t('Recipient domain')}
        autocapitalize="none"
        spellcheck={false}
      />
      <Select name="held" label={headOf('held')} options={holding()} chosen={view.query.get('held')} />
    </SearchForm>
  </div>
)

const holding = () =>
  [
    ['', t('All')],
    ['true', t('Held')],
    ['false', t('Not held')],
  ] as const

/** The next messages begin where these end: pages are not numbered, as the queue changes meanwhile. */
const Foot = ({ view }: { view: ViewContext }) => {
  const { total, next } = view.data
  return (
    <div class="foot">
      <span>{t('{total} messages', { total: count(total) })}</span>
      <span class="actions">
        {view.query.has('after') ? <LinkButton href={currentPathWith(view, { after: '' })} label="First page" /> : null}
        {next ? <LinkButton href={currentPathWith(view, { after: next })} label="Next" rel="next" /> : null}
      </span>
    </div>
  )
}

const Messages = ({ view }: { view: ViewContext }) => {
  const { screen, data } = view
  const choose = chooser()
  return (
    <Chosen view={view}>
      <ItemTable
        view={view}
        caption={screen.title}
        items={data.items}
        columns={screen.columns!}
        choose={(item: Answered) => choose(item.id, `${item.from || '<>'} → ${item.to.join(', ')}`)}
      />
      <Foot view={view} />
    </Chosen>
  )
}

const Missing = ({ view: { data } }: { view: ViewContext }) =>
  data.unreachable ? (
    <p class="note">
      {t('These nodes could not be asked: {nodes}', {
        nodes: data.unreachable.map(({ node }: { node: string }) => node).join(', '),
      })}
    </p>
  ) : null

/** What waits to be delivered. */
const queuePage: View = (view) => ({
  title: t(view.screen.title),
  count: view.data.total > 0 ? view.data.total : undefined,
  lead: view.screen.lead && t(view.screen.lead),
  actions: <Actions view={view} />,
  body: (
    <>
      <Filter view={view} />
      <Missing view={view} />
      {view.data.items.length === 0 ? <Empty view={view} /> : <Messages view={view} />}
    </>
  ),
})

const rows: Rows = {
  name: (id) => id,
  word: (id) => id,
  input: (ids) => ({ ids }),
  together: true,
}

const chosen = (done: string, label: string): Action => ({ done, label, many: true, rows, only: [] })
const deleted = {
  ...chosen('The messages are being deleted.', 'Delete'),
  confirm: ['They are not delivered, and their senders are not told.'],
}

const shared = {
  query: { limit: '100' },
  view: queuePage,
  find: ['queue', 'deferred', 'waiting mail', 'bounce', 'postqueue', 'mailq'],
  empty:
    'No message waits. What cannot be delivered at once is tried again for three days, and is listed here until then.',
} as const

export const queueScreens: readonly Screen[] = [
  {
    ...shared,
    path: '/mail-queue',
    only: 'admin',
    title: 'Mail queue',
    shows: 'listMailQueue',
    columns: ['arrived_at', 'username', 'from', 'to', 'size', 'reason', 'next_attempt_at', 'held'],
    nav: { group: 'server', order: 45, beside: ['/mail-trace'] },
    acts: {
      retryMailQueue: chosen('The messages are being delivered.', 'Retry'),
      holdMailQueue: chosen('The messages are being held.', 'Hold'),
      releaseMailQueue: chosen('The messages are being released.', 'Release'),
      deleteMailQueue: deleted,
    },
  },
  {
    ...shared,
    path: '/email/queue',
    title: 'Waiting mail',
    shows: 'listMailQueueForAccount',
    columns: ['arrived_at', 'from', 'to', 'reason', 'next_attempt_at', 'held'],
    acts: { deleteMailQueueForAccount: deleted },
  },
]
