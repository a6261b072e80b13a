import type { Area } from '../../runtime/areas/area.ts'
import { ofAccount } from './account.ts'
import { indexJob } from './contents.ts'
import { testJob } from './destinations/job.ts'
import { purpose } from './destinations/keys.ts'
import { destinationOperations } from './destinations/operations.ts'
import { findDestination, makeLocalDestination } from './destinations/store.ts'
import { defaultHour } from './due.ts'
import { backupJobs } from './jobs.ts'
import { migrations } from './migrations.ts'
import { backupOperations } from './operations.ts'
import { restoreJob } from './restore-job.ts'
import { purpose as keyPurpose } from './secrets.ts'
import { backupsOf, findBackup } from './store.ts'
import type { BackupRow, DestinationRow } from './tables.ts'
import { trialJob } from './trials.ts'
import { beginUpkeep } from './upkeep.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/backups/{bid}': { backup: BackupRow }
    '/accounts/{id}/backups/{bid}': { backup: BackupRow }
    '/backup-destinations/{did}': { destination: DestinationRow }
  }
}

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    /** In UTC. */
    backup_hour: number
    final_backup_days: number
  }
}

const sealed = [
  { table: 'backup_destinations', column: 'keys', purpose },
  { table: 'backups', column: 'secrets_key', purpose: keyPurpose },
]

export const backups = {
  name: 'backups',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: { ...backupOperations, ...destinationOperations },
  finders: {
    '/backups/{bid}': (ctx, { bid }) => ({ backup: findBackup(ctx, bid) }),
    '/backup-destinations/{did}': (ctx, { did }) => ({ destination: findDestination(ctx, did) }),
    '/accounts/{id}/backups/{bid}': (ctx, { id, bid }) => ({ backup: backupsOf.find(ctx, id, bid) }),
  },
  settings: { backup_hour: defaultHour, final_backup_days: 0 },
  jobs: (runtime, { host: client }) => [
    ...backupJobs({ runtime, client }),
    restoreJob({ runtime, client }),
    testJob({ runtime, client }),
    trialJob({ runtime, client }),
    indexJob({ runtime, client }),
  ],
  lanes: { backup: 2, trial: 1, contents: 2 },
  ofAccount,
  prepare: makeLocalDestination,
  start: (runtime) => beginUpkeep(runtime),
  stored: { migrations, sealed },
} satisfies Area
