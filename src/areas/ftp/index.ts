import type { Area } from '../../runtime/areas/area.ts'
import { objectJobs } from '../accounts/objects/object-jobs.ts'
import { addressed } from '../email/lookup.ts'
import { backup } from './backup.ts'
import { ftpHost, ofDomain } from './hooks.ts'
import { migrations } from './migrations.ts'
import { ftpOperations } from './operations.ts'
import { watchSessions } from './sessions.ts'
import { ftpAccountsOf } from './store.ts'
import { type FtpRow, ftpAccounts } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}/ftp/accounts/{fid}': { ftp_account: FtpRow }
  }
}

export const ftp = {
  name: 'ftp',
  handlers: ftpOperations,
  lookup: { ftp_account: addressed(ftpAccounts) },
  finders: {
    '/accounts/{id}/ftp/accounts/{fid}': (ctx, { id, fid }) => ({ ftp_account: ftpAccountsOf.find(ctx, id, fid) }),
  },
  jobs: (runtime, { host: client }) =>
    objectJobs(
      { runtime, client },
      {
        table: ftpAccounts,
        scope: { areas: ['ftp'], needsHome: true },
        create: 'ftp.account.create',
        changes: ['ftp.account.update', 'ftp.account.password'],
        delete: 'ftp.account.delete',
      },
    ),
  ofAccount: { counts: { ftp_accounts: ftpAccountsOf.count }, host: { ftp: ftpHost }, backup },
  ofDomain,
  start: (runtime) => watchSessions(runtime),
  stored: { migrations, essential: ['ftp_accounts'] },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
