import type { Screen } from '../../../web/kit/screen.ts'
import { accountsPage, looks } from './accounts.tsx'
import { changePackage, suspend, unsuspend } from './acts.ts'
import { newAccountPage } from './new-account.tsx'
import { newest, serverHome } from './server-home.tsx'

/** A count is all that is shown. */
const counted = { run: 'listAccounts', fields: [] } as const

const columns = ['username', 'main_domain', 'package_name', 'owner_name', 'disk_used_mb', 'bw_used_month_mb', 'status']

/** The pages of those who look after accounts. */
export const serverScreens: readonly Screen[] = [
  {
    path: '/',
    title: 'Home',
    nav: { group: 'main', order: 0 },
    shows: 'getSession',
    says: 'listNotices',
    view: serverHome,
    sections: {
      notices: { run: 'listNotices', query: { limit: '10' } },
      accounts: { run: 'listAccounts', fields: newest, query: { per_page: '6', order: 'desc' } },
      own: { run: 'getReseller', of: (session) => session.reseller?.id },
      health: { run: 'getServerHealth' },
      host: { run: 'getHost' },
      jobs: { run: 'listJobs', query: { per_page: '50', order: 'desc' } },
    },
  },
  {
    path: '/accounts',
    title: 'Accounts',
    one: 'account',
    name: 'username',
    shows: 'listAccounts',
    fields: [...columns, 'created_at', 'disk_quota_mb'],
    view: accountsPage,
    asks: (query): Record<string, string> => (query.get('q') ? { search: query.get('q')!, q: '' } : {}),
    sections: {
      suspended: { ...counted, query: { status: 'suspended', per_page: '1' } },
      over_quota: { ...counted, query: { over_quota: 'true', per_page: '1' } },
      provisioning: { ...counted, query: { status: 'provisioning', per_page: '1' } },
    },
    columns: [...columns, 'created_at'],
    looks,
    search: { name: 'q', label: 'Name, domain, mailbox or contact', example: 'alice, shop.example' },
    to: '/accounts/{username}',
    add: { to: '/accounts/new', label: 'Create an account' },
    acts: {
      suspendAccount: { ...suspend, many: true },
      changeAccountPackage: { ...changePackage, many: true },
      unsuspendAccount: { ...unsuspend, many: true },
    },
    nav: { group: 'main', order: 10 },
    find: ['customers', 'users'],
    empty: 'An account is a customer: its sites, mail and databases.',
  },
  {
    path: '/accounts/new',
    title: 'Create an account',
    shows: 'createAccount',
    view: newAccountPage,
    sections: {
      own: { run: 'getReseller', of: (_data, session) => session.reseller?.id },
      packages: { run: 'listPackages', query: { per_page: '200' } },
    },
    acts: {
      createAccount: {
        done: 'Account created.',
        label: 'Create the account',
        to: '/accounts/{username}',
        primary: ['username', 'domain', 'password', 'package_id', 'contact_email'],
        ofRoot: ['owner_id', 'make_reseller', 'owns_itself'],
      },
    },
  },
]
