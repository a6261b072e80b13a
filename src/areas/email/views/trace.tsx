import { t } from '../../../web/kit/i18n/i18n.ts'
import { headOf } from '../../../web/kit/i18n/label.ts'
import { Foot } from '../../../web/kit/lists/foot.tsx'
import { Empty, ItemTable } from '../../../web/kit/lists/list.tsx'
import { SearchForm, Select } from '../../../web/kit/lists/search-box.tsx'
import type { Screen, View, ViewContext } from '../../../web/kit/screen.ts'
import { AddressInput, Missing } from './node-pages.tsx'

const directions = () =>
  [
    ['', t('In and out')],
    ['in', t('Incoming')],
    ['out', t('Outgoing')],
  ] as const

const Filter = ({ view }: { view: ViewContext }) => (
  <div class="filter">
    <SearchForm view={view} by={{ name: 'with', label: 'Other address' }}>
      <AddressInput view={view} name="address" label="Own address" />
      <Select
        name="direction"
        label={headOf('direction')}
        options={directions()}
        chosen={view.query.get('direction')}
      />
    </SearchForm>
  </div>
)

const Rows = ({ view }: { view: ViewContext }) => (
  <>
    <ItemTable view={view} caption={view.screen.title} items={view.data.items} columns={view.screen.columns!} />
    <Foot view={view} />
  </>
)

/** What became of messages. */
const tracePage: View = (view) => ({
  title: t(view.screen.title),
  lead: view.screen.lead && t(view.screen.lead),
  body: (
    <>
      <Filter view={view} />
      <Missing view={view} />
      {view.data.items.length === 0 ? <Empty view={view} /> : <Rows view={view} />}
    </>
  ),
})

const shared = {
  query: { limit: '100' },
  view: tracePage,
  find: ['track delivery', 'trace', 'mail log', 'delivered', 'bounced', 'where is my mail'],
  empty:
    'No message was found. Each appears within seconds of its delivery, and is kept for two weeks unless root set other days.',
} as const

export const traceScreens: readonly Screen[] = [
  {
    ...shared,
    path: '/mail-trace',
    only: 'admin',
    title: 'Mail trace',
    shows: 'traceMail',
    columns: ['at', 'username', 'direction', 'from', 'to', 'outcome', 'answer'],
  },
  {
    ...shared,
    path: '/email/trace',
    title: 'Track messages',
    shows: 'traceEmail',
    columns: ['at', 'direction', 'from', 'to', 'outcome', 'answer'],
  },
]
