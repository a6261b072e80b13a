import type { Screen } from '../../web/kit/screen.ts'
import { ofLastDay } from './views/activity.tsx'
import { manage } from './views/acts.ts'
import { accountHome } from './views/home.tsx'
import { managePage } from './views/manage.tsx'
import { serverScreens } from './views/server-screens.ts'

const quick = {
  suspendAccount: {
    path: '/suspend',
    title: 'Suspend the account',
    lead: 'Its sites show one page instead, and sign-in, sending mail, FTP, SSH, apps and cron jobs stop. Mail still arrives, and nothing is deleted.',
  },
  unsuspendAccount: { path: '/unsuspend', title: 'Unsuspend the account' },
  changeAccountPackage: { path: '/package', title: 'Change the package' },
  changeAccountPassword: { path: '/password', title: 'Set the password' },
} as const

/** A page for a frequent change of an account; it leads back to the account. */
const quickScreen = (op: keyof typeof quick): Screen => ({
  ...quick[op],
  only: 'admin',
  shows: op,
  acts: { [op]: { ...manage[op], to: '/' } },
})

const home = { path: '/', title: 'Home', nav: { group: 'main', order: 0 } } as const

export const screens: readonly Screen[] = [
  {
    ...home,
    shows: 'getAccount',
    view: accountHome,
    sections: {
      notices: { run: 'listNoticesForAccount', query: { limit: '10' } },
      usage: { run: 'getAccountUsage' },
      domains: { run: 'listDomains', query: { per_page: '10' } },
      zones: { run: 'listDnsZones', query: { per_page: '10' } },
      ftp: { run: 'getFtpServer' },
      ssh: { run: 'getSsh' },
      events: ofLastDay,
      jobs: { run: 'listJobsForAccount', query: { per_page: '6', order: 'desc' } },
    },
    acts: { loginAsAccount: { done: 'Signed in.', followsLink: true } },
  },
  {
    path: '/settings',
    only: 'user',
    title: 'Settings',
    shows: 'getAccount',
    view: managePage,
    acts: { updateAccount: { ...manage.updateAccount, only: ['contact_email', 'theme', 'locale'] } },
    nav: { group: 'account', order: 95, beside: ['/me', '/security', '/security/ban'] },
    find: ['contact', 'theme', 'language'],
  },
  {
    path: '/settings',
    only: 'admin',
    title: 'Manage',
    shows: 'getAccount',
    view: managePage,
    sections: { usage: { run: 'getAccountUsage', quiet: true }, settings: { run: 'getSettings', quiet: true } },
    acts: manage,
    nav: { group: 'account', order: 95 },
    find: ['suspend', 'terminate', 'limits', 'package', 'password'],
  },
  ...(['suspendAccount', 'unsuspendAccount', 'changeAccountPassword'] as const).map(quickScreen),
  {
    ...quickScreen('changeAccountPackage'),
    // Another package would take its limits away unasked.
    startsWith: ({ sections }) => ({ package_id: sections['account']?.package_id }),
    sections: { account: { run: 'getAccount', quiet: true } },
  },
  ...serverScreens,
]
