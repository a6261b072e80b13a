import type { Screen } from '../../web/kit/screen.ts'
import { accountHome } from './views/home.tsx'
import { serverHome } from './views/server-home.tsx'

const home = { path: '/', title: 'Home', nav: { group: 'main', order: 0 } } as const

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
]
