import { privileges } from '../../../contract/common.ts'
import { count } from '../../../web/kit/format.ts'
import { ItemCard } from '../../../web/kit/list.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { ListCard } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'
import { Jobs } from './jobs.tsx'
import { Notices } from './notices.tsx'

/** The home page of root and resellers: what needs attention, what failed, and new accounts. */
export const serverHome = (visit: Visit): Shown => {
  const { session, also } = visit
  return {
    title: t(session.is_root ? 'Server' : 'Reseller'),
    lead: (
      <>
        <Machine text={`${session.username} (${session.role})`} />
        {also['accounts'] ? ` · ${accounts(also['accounts'].total)}` : null}
      </>
    ),
    body: (
      <>
        <Notices visit={visit} />
        <div class="two">
          <Newest visit={visit} accounts={also['accounts']} />
          <div class="stack">
            <Jobs visit={visit} jobs={also['failed']} title="Failed jobs" />
            <Jobs visit={visit} jobs={also['jobs']} title="Jobs" />
          </div>
        </div>
        {session.is_root ? null : <Privileges acl={session.acl ?? []} />}
      </>
    ),
  }
}

export const newest = ['username', 'main_domain', 'status', 'created_at']

const accounts = (total: number): string =>
  total === 1 ? t('1 account') : t('{count} accounts', { count: count(total) })

const Newest = ({ visit, accounts }: { visit: Visit; accounts: Answered }) =>
  accounts && accounts.items.length > 0 ? (
    <ItemCard visit={visit} title="New accounts" items={accounts.items} columns={newest} to="/accounts/{username}" />
  ) : null

const Privileges = ({ acl }: { acl: readonly (keyof typeof privileges)[] }) => (
  <ListCard title="What you may do" items={acl.map((name) => t(privileges[name]))} />
)
