import { privileges } from '../../../contract/common.ts'
import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Fold } from '../../../web/kit/components/fold.tsx'
import { count } from '../../../web/kit/format/format.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemCard } from '../../../web/kit/lists/list.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { Health, Limits } from './health.tsx'
import { Jobs } from './jobs.tsx'
import { Notices } from './notices.tsx'

/** The home page of root and resellers: what needs attention, what failed, and new accounts. */
export const serverHome = (view: ViewContext): PageView => {
  const { session, sections } = view
  return {
    title: t(session.is_root ? 'Server' : 'Reseller'),
    lead: (
      <>
        {session.is_root ? null : <Code text={session.username ?? ''} />}
        {session.is_root ? '' : ' · '}
        {sections['accounts'] ? accounts(sections['accounts'].total) : null}
      </>
    ),
    actions: view.may('createAccount') ? (
      <LinkButton href={view.href('/accounts/new')} label="Create an account" look="main" icon="plus" />
    ) : null,
    body: (
      <>
        <Health view={view} />
        {session.is_root ? null : <Limits of={sections['own']} />}
        <Notices view={view} />
        <div class="two">
          <Newest view={view} accounts={sections['accounts']} />
          <div class="stack">
            <Jobs view={view} jobs={sections['jobs']} title="Jobs" />
          </div>
        </div>
        {session.is_root || !session.acl?.length ? null : <Privileges acl={session.acl ?? []} />}
      </>
    ),
  }
}

export const newest = ['username', 'main_domain', 'status', 'created_at']

const accounts = (total: number): string =>
  total === 1 ? t('1 account') : t('{count} accounts', { count: count(total) })

const Newest = ({ view, accounts }: { view: ViewContext; accounts: Answered }) =>
  accounts && accounts.items.length > 0 ? (
    <ItemCard view={view} title="New accounts" items={accounts.items} columns={newest} to="/accounts/{username}" />
  ) : null

const Privileges = ({ acl }: { acl: readonly (keyof typeof privileges)[] }) => (
  <Fold title="What you may do" open={false}>
    <ul class="list">
      {acl.map((name) => (
        <li>{t(privileges[name])}</li>
      ))}
    </ul>
  </Fold>
)
