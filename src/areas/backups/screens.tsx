import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'

export const screens: readonly Screen[] = [
  ...crud('listBackups', {
    path: '/backups',
    title: 'Backups',
    one: 'backup',
    member: 'backup',
    nav: { group: 'account', order: 40, beside: ['/backups/schedule'] },
    find: ['restore'],
    add: 'Make a backup',
    empty: 'A backup holds files, mail, databases, DNS zones and settings as they are now.',
    deletes: ['Nothing can be restored from it any more.'],
    downloads: { downloadBackup: 'Download' },
    acts: {
      checkBackup: { done: 'The backup is being checked.', label: 'Check' },
      cancelBackup: { done: 'The backup was cancelled.', label: 'Cancel' },
      restoreBackup: {
        done: 'The backup is being restored.',
        label: 'Restore',
        confirm: [
          'What is there now is replaced by what the backup holds.',
          'A safety backup is made before, unless you say otherwise.',
        ],
      },
    },
  }),
  {
    path: '/backups/schedule',
    of: 'account',
    title: 'Backup schedule',
    shows: 'getBackupSchedule',
    find: ['daily', 'weekly'],
    acts: { setBackupSchedule: { done: 'Schedule changed.', label: 'Save' } },
  },
  {
    path: '/backups',
    of: 'server',
    title: 'Backups',
    shows: 'listAllBackups',
    nav: { group: 'server', order: 15, beside: ['/backup-destinations'] },
    to: '/backups/{id}',
    empty: 'Backups of all accounts, of terminated ones too.',
  },
  ...crud('listBackupDestinations', {
    path: '/backup-destinations',
    title: 'Backup destinations',
    one: 'destination',
    member: 'destination',
    name: 'name',
    empty: 'Where backups are kept.',
    deletes: ['Backups in it are not deleted, but can no longer be restored from here.'],
    acts: { testBackupDestination: { done: 'The destination is being tested.', label: 'Test' } },
  }),
]
