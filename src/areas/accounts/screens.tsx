import type { Acts, Screen } from '../../web/kit/screen.ts'
import { accountsPage } from './views/accounts.tsx'
import { accountHome } from './views/home.tsx'
import { managePage } from './views/manage.tsx'
import { serverHome } from './views/server-home.tsx'

const home = { path: '/', title: 'Home', nav: { group: 'main', order: 0 } } as const

const isSuspended = ({ data }: { data: { status?: string } }): boolean => data.status === 'suspended'

const suspend = { done: 'Suspended.', label: 'Suspend', ofRoot: ['lock'] }
const unsuspend = { done: 'Unsuspended.', label: 'Unsuspend' }
const changePackage = { done: 'Package changed.', label: 'Change the package' }

const manage: Acts = {
  updateAccount: { done: 'Account changed.', label: 'Save' },
  changeAccountPackage: { ...changePackage, title: 'Package' },
  changeAccountPassword: { done: 'Password changed.', label: 'Set the password', only: ['new_password'] },
  createAccountSso: { done: 'One-time sign-in link', label: 'Make a sign-in link' },
  suspendAccount: { ...suspend, when: (visit) => !isSuspended(visit) },
  unsuspendAccount: { ...unsuspend, when: isSuspended },
  terminateAccount: {
    done: 'The account is being terminated.',
    label: 'Terminate the account',
    to: '/jobs',
    confirm: ['Its files, databases, mailboxes and domains are removed from this server.'],
  },
}

export const screens: readonly Screen[] = [
  {
    ...home,
    of: 'account',
    shows: 'getAccount',
    view: accountHome,
    also: {
      notices: { run: 'listNoticesForAccount', query: { limit: '10' } },
      usage: { run: 'getAccountUsage' },
      domains: { run: 'listDomains', query: { per_page: '10' } },
      jobs: { run: 'listJobsForAccount', query: { per_page: '6', order: 'desc' } },
    },
    acts: { loginAsAccount: { done: 'Signed in.', follows: true } },
  },
  {
    path: '/settings',
    of: 'account',
    only: 'user',
    title: 'Settings',
    shows: 'getAccount',
    view: managePage,
    acts: { updateAccount: { ...manage.updateAccount!, only: ['contact_email', 'theme', 'locale'] } },
    nav: { group: 'account', order: 95 },
    find: ['contact', 'theme', 'language'],
  },
  {
    path: '/settings',
    of: 'account',
    only: 'admin',
    title: 'Manage',
    shows: 'getAccount',
    view: managePage,
    acts: manage,
    nav: { group: 'account', order: 95 },
    find: ['suspend', 'terminate', 'limits', 'package', 'password'],
  },
  {
    ...home,
    of: 'server',
    shows: 'getSession',
    view: serverHome,
    also: {
      notices: { run: 'listNotices', query: { limit: '10' } },
      accounts: { run: 'listAccounts', query: { per_page: '6', order: 'desc' } },
      failed: { run: 'listJobs', query: { per_page: '5', order: 'desc', status: 'failed' } },
      jobs: { run: 'listJobs', query: { per_page: '6', order: 'desc' } },
    },
  },
  {
    path: '/accounts',
    of: 'server',
    title: 'Accounts',
    one: 'account',
    name: 'username',
    shows: 'listAccounts',
    view: accountsPage,
    // A name with a dot in it is a domain.
    asks: (query): Record<string, string> => {
      const q = query.get('q') ?? ''
      return q.includes('.') ? { domain: q, q: '' } : {}
    },
    also: {
      suspended: { run: 'listAccounts', query: { status: 'suspended', per_page: '1' } },
      over_quota: { run: 'listAccounts', query: { over_quota: 'true', per_page: '1' } },
      provisioning: { run: 'listAccounts', query: { status: 'provisioning', per_page: '1' } },
    },
    columns: [
      'username',
      'main_domain',
      'package_name',
      'owner_name',
      'disk_used_mb',
      'bw_used_month_mb',
      'status',
      'created_at',
    ],
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
    of: 'server',
    title: 'Create an account',
    shows: 'createAccount',
    acts: {
      createAccount: {
        done: 'Account created.',
        label: 'Create the account',
        to: '/accounts/{username}',
        ofRoot: ['owner_id', 'make_reseller', 'owns_itself'],
      },
    },
  },
]
