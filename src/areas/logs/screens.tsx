import type { Screen } from '../../web/kit/screen.ts'
import { trafficPage, usagePage, visitorsPage } from './views/figures.tsx'
import { logPage } from './views/log.tsx'
import { daysOf, stepsOf } from './views/spans.tsx'

export const screens: readonly Screen[] = [
  {
    path: '/logs',
    title: 'Logs',
    shows: 'listLogs',
    nav: { group: 'sites', order: 50, label: 'Logs and usage', beside: ['/usage', '/bandwidth'] },
    find: ['error', 'access', 'php'],
    to: '/logs/{domain}?kind={kind}',
    empty:
      'A log shows who visited a site, and what went wrong. Each site gets one with its first visitor: open the site once.',
  },
  {
    path: '/logs/{domain}',
    title: 'Log',
    shows: 'tailLog',
    query: { domain_id: '{domain}' },
    since: 'cursor',
    sections: { logs: { run: 'listLogs', quiet: true } },
    downloads: { downloadLog: 'Download' },
    view: logPage,
    columns: ['text'],
    empty: 'Nothing has been written.',
  },
  {
    path: '/visitors/{domain}',
    title: 'Visitors',
    shows: 'getVisitors',
    query: { domain_id: '{domain}' },
    asks: daysOf,
    view: visitorsPage,
    empty: 'The site has had no visitors yet.',
  },
  {
    path: '/usage',
    title: 'Usage',
    shows: 'getUsageHistory',
    asks: stepsOf,
    sections: { usage: { run: 'getAccountUsage' }, traffic: { run: 'getBandwidth', asks: daysOf } },
    view: usagePage,
    empty: 'Nothing has been measured yet.',
    find: ['disk', 'memory', 'cpu', 'limits'],
  },
  {
    path: '/bandwidth',
    title: 'Traffic',
    shows: 'getBandwidth',
    asks: daysOf,
    view: trafficPage,
    empty: 'Nothing has been transferred yet.',
    find: ['bandwidth', 'transfer'],
  },
]
