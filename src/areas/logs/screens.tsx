import type { Screen } from '../../web/kit/screen.ts'

export const screens: readonly Screen[] = [
  {
    path: '/logs',
    of: 'account',
    title: 'Logs',
    shows: 'listLogs',
    nav: { group: 'sites', order: 50, label: 'Logs and usage', beside: ['/usage', '/bandwidth'] },
    find: ['error', 'access', 'php'],
    to: '/logs/{domain_id}?kind={kind}',
    empty: 'Sites have written nothing yet.',
  },
  {
    path: '/logs/{domain}',
    of: 'account',
    title: 'Log',
    shows: 'tailLog',
    query: { domain_id: '{domain}' },
    columns: ['text'],
    empty: 'Nothing has been written.',
  },
  {
    path: '/visitors/{domain}',
    of: 'account',
    title: 'Visitors',
    shows: 'getVisitors',
    query: { domain_id: '{domain}' },
  },
  {
    path: '/usage',
    of: 'account',
    title: 'Usage',
    shows: 'getUsageHistory',
    find: ['disk', 'memory', 'cpu', 'limits'],
  },
  {
    path: '/bandwidth',
    of: 'account',
    title: 'Traffic',
    shows: 'getBandwidth',
    find: ['bandwidth', 'transfer'],
  },
]
