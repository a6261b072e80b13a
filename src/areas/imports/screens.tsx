import type { Screen, ViewContext } from '../../web/kit/screen.ts'
import { importPage, importReportPage, reportQuery } from './views/import.tsx'
import { importsPage, unfinished } from './views/imports.tsx'
import { isUnread } from './views/name.ts'
import { newImportPage } from './views/new-import.tsx'

const is =
  (...statuses: readonly string[]) =>
  ({ data }: ViewContext): boolean =>
    statuses.includes(data.status)

const mapped = ['map.domains', 'map.mailboxes', 'map.databases', 'map.database_users', 'map.ips'] as const
const options = ['as', 'domain', 'package_id', 'limits', 'quota_fit', 'dns', 'skip', 'passwords', ...mapped] as const
const ofRoot = ['path', 'owner_id', 'ip_id', 'ip6_id']

export const screens: readonly Screen[] = [
  {
    path: '/imports',
    title: 'Imports',
    one: 'import',
    name: 'username',
    shows: 'listImports',
    view: importsPage,
    sections: { running: unfinished('running'), queued: unfinished('queued'), syncing: unfinished('syncing') },
    nav: { group: 'main', order: 15 },
    find: ['cpanel', 'directadmin', 'hestiacp', 'move', 'migrate', 'transfer'],
    columns: ['username', 'main_domain', 'status', 'counts.conflicts', 'counts.not_possible', 'created_at'],
    looks: {
      'counts.conflicts': { label: 'Conflicts', end: true },
      'counts.not_possible': { label: 'Not possible', end: true },
    },
    to: '/imports/{id}',
    add: { to: '/imports/new', label: 'Import an account' },
    acts: {
      runImport: { done: 'The import has begun.', label: 'Run', only: [], many: true },
      activateImport: { done: 'The account is being activated.', label: 'Activate', many: true },
    },
    empty:
      'An import moves an account here from cPanel, DirectAdmin or HestiaCP, with its passwords. First you see what comes, and nothing is made.',
  },
  {
    path: '/imports/new',
    title: 'Import an account',
    lead: 'The archive is read, and a report says what comes: nothing is made yet.',
    shows: 'createImport',
    view: newImportPage,
    acts: {
      createImport: {
        done: 'The archive is being read.',
        label: 'Read the archive',
        to: '/imports/{id}',
        only: ['path', 'run', ...options, 'owner_id', 'ip_id', 'ip6_id'],
        primary: ['as', 'domain', 'package_id'],
        ofRoot,
        upload: () => ({ query: {}, headers: {} }),
        insteadOfFile: ['path', 'upload_id'],
      },
    },
  },
  {
    path: '/imports/{import}',
    title: 'Import',
    one: 'import',
    name: 'username',
    shows: 'getImport',
    view: importPage,
    sections: {
      report: { run: 'getImportReport', quiet: true, asks: reportQuery },
      checklist: { run: 'getImportChecklist', quiet: true },
    },
    acts: {
      runImport: {
        done: 'The import has begun.',
        label: 'Run',
        only: [],
        when: (view) => is('ready', 'blocked', 'failed')(view) && !isUnread(view.data),
      },
      compareImport: {
        done: 'The pages are being compared.',
        label: 'Compare',
        title: 'Compare the pages',
        when: is('imported', 'active'),
      },
      activateImport: { done: 'The account is being activated.', label: 'Activate', when: is('imported') },
      cancelImport: {
        done: 'The import was stopped.',
        label: 'Stop',
        when: is('inspecting', 'queued', 'running', 'syncing'),
      },
      updateImport: {
        done: 'The report is new.',
        label: 'Save',
        title: 'Options',
        only: [...options],
        value: ({ options: chosen }) => chosen,
        when: is('ready', 'blocked'),
      },
      deleteImport: {
        done: 'The import is being removed.',
        label: 'Remove the import',
        to: '/imports',
        when: is('ready', 'blocked', 'imported', 'failed', 'active'),
        confirm: ({ data }) =>
          data.account_id === undefined
            ? ['The archive stays where it is.']
            : data.status === 'active'
              ? ['Choose "forget": the account is active, and stays.']
              : ['Its account is removed, with everything in it. The archive stays where it is.'],
      },
    },
  },
  {
    path: '/imports/{import}/report',
    title: 'Report',
    shows: 'getImportReport',
    asks: reportQuery,
    view: importReportPage,
    sections: { import: { run: 'getImport', quiet: true }, checklist: { run: 'getImportChecklist', quiet: true } },
  },
]
