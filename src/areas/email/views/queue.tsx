import { count } from '../../../web/kit/format/format.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { headOf } from '../../../web/kit/i18n/label.ts'
import { Chosen, chooser } from '../../../web/kit/lists/bulk-select.tsx'
import { Foot } from '../../../web/kit/lists/foot.tsx'
import { Actions, Empty, ItemTable } from '../../../web/kit/lists/list.tsx'
import { SearchForm, Select } from '../../../web/kit/lists/search-box.tsx'
import type { Action, Answered, Rows, Screen, View, ViewContext } from '../../../web/kit/screen.ts'
import { AddressInput, Missing } from './node-pages.tsx'

const Filter = ({ view }: { view: ViewContext }) => (
  <div class="filter">
    <SearchForm view={view} by={{ name: 'sender', label: 'Sender' }}>
      <AddressInput view={view} name="recipient_domain" label="Recipient domain" />
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
      <Foot view={view} total={t('{total} messages', { total: count(data.total) })} />
    </Chosen>
  )
}

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
    nav: { group: 'server', order: 45, beside: ['/mail-trace', '/smtp-relays'] },
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
