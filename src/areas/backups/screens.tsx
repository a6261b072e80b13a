import { crud } from '../../web/kit/crud.ts'
import { t } from '../../web/kit/i18n/i18n.ts'
import { objectPage } from '../../web/kit/pages/object.tsx'
import type { PageView, Screen, ViewContext } from '../../web/kit/screen.ts'
import {
  backupPage,
  backupStatus,
  isBeingMade,
  Restore,
  restoreAsPage,
  restorePage,
  restoring,
} from './views/backup.tsx'
import { contents } from './views/contents.tsx'

/** What a destination of each type needs. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  local: ['path'],
  s3: ['endpoint', 'bucket', 'access_key', 'secret_key'],
  sftp: ['host', 'user', 'path', 'host_key', 'private_key'],
}

const schedulePage = (view: ViewContext): PageView => ({
  ...objectPage(view),
  lead: t(
    view.may('setBackupSchedule')
      ? 'Empty fields follow the package of the account.'
      : 'Your package sets when backups are made. You can make one at any time on the page Backups.',
  ),
})

export const screens: readonly Screen[] = [
  ...crud('listBackups', {
    path: '/backups',
    title: 'Backups',
    one: 'backup',
    member: 'backup',
    nav: { group: 'account', order: 40, beside: ['/backups/schedule'] },
    find: ['restore'],
    add: 'Make a backup',
    ofRoot: ['destination_id'],
    columns: ['created_at', 'kind', 'status', 'size_bytes', 'note'],
    looks: { status: { cell: backupStatus } },
    empty:
      'A backup contains files, mail, databases, DNS zones and settings as they are now. All of it, or single files and databases, can be restored later.',
    deletes: ['Nothing can be restored from it any more.'],
    downloads: { downloadBackup: 'Download' },
    acts: {
      checkBackup: { done: 'The backup is being checked.', label: 'Check', when: (view) => !isBeingMade(view) },
      cancelBackup: { done: 'The backup was cancelled.', label: 'Cancel', when: isBeingMade },
    },
    rowEnd: (backup, view) => <Restore view={view} of={backup} />,
    views: { one: backupPage },
  }),
  ...contents,
  {
    path: '/backups/{backup}/restore',
    title: 'Restore',
    shows: 'getBackup',
    view: restorePage,
    acts: {
      restoreBackup: {
        done: 'The backup is being restored.',
        label: 'Restore',
        confirm: restoring,
        to: '/backups/{backup}',
      },
    },
  },
  {
    path: '/backups/schedule',
    title: 'Backup schedule',
    shows: 'getBackupSchedule',
    find: ['daily', 'weekly'],
    view: schedulePage,
    acts: { setBackupSchedule: { done: 'Schedule changed.' } },
  },
  {
    path: '/backups',
    title: 'Backups',
    shows: 'listAllBackups',
    nav: { group: 'server', order: 15, beside: ['/backup-destinations'] },
    to: '/backups/{id}',
    columns: ['created_at', 'username', 'kind', 'status', 'size_bytes', 'note'],
    looks: { status: { cell: backupStatus } },
    empty:
      'Here are the backups of all accounts, of terminated ones too. Each is made on the page of its account, or by the schedule of its package.',
  },
  {
    path: '/backups/{backup}',
    title: 'Restore as a new account',
    shows: 'restoreBackupAs',
    view: restoreAsPage,
    sections: {
      backups: { run: 'listAllBackups', query: { per_page: '500' }, quiet: true },
      accounts: { run: 'listAccounts', query: { per_page: '500' }, fields: ['username'], quiet: true },
    },
    acts: {
      restoreBackupAs: {
        done: 'The account is being restored.',
        label: 'Restore',
        to: '/jobs',
        primary: ['username', 'domain', 'package_id'],
      },
    },
  },
  ...crud('listBackupDestinations', {
    path: '/backup-destinations',
    title: 'Backup destinations',
    one: 'destination',
    member: 'destination',
    name: 'name',
    columns: ['name', 'type', 'default', 'path'],
    primary: (typed) => ['name', 'type', 'default', ...(fieldsOf[typed?.get('type') ?? 'local'] ?? [])],
    presets: [
      { label: 'A directory of this server', fields: { type: 'local' } },
      { label: 'S3', fields: { type: 's3' } },
      { label: 'SFTP', fields: { type: 'sftp' } },
    ],
    empty:
      'A destination is where backups are kept: a directory, an S3 bucket or a machine reached by SFTP. Add one away from this server.',
    deletes: ['Backups in it are not deleted, but can no longer be restored from here.'],
    acts: {
      updateBackupDestination: {
        done: 'Destination changed.',
        only: ({ type }) => [
          'name',
          'default',
          ...(fieldsOf[type] ?? []),
          ...(type === 's3' ? ['prefix', 'region'] : type === 'sftp' ? ['port'] : []),
        ],
      },
      testBackupDestination: { done: 'The destination is being tested.', label: 'Test' },
    },
  }),
]
