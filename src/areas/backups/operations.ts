import type * as declared from '../../contract/backups.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { cancelBackup, checkBackup, deleteBackup } from './change.ts'
import { listBackupEntries } from './contents.ts'
import { createBackup } from './create.ts'
import { downloadBackup } from './download.ts'
import { restoreBackup } from './restore.ts'
import { restoreBackupAs } from './restore-as.ts'
import { getBackupSchedule, setBackupSchedule } from './schedule.ts'
import { backupsOf, pageOfAll, toBackup } from './store.ts'

const listBackups: Handler<typeof declared.listBackups> = {
  handle(ctx, { query }) {
    const { items, total } = backupsOf.page(ctx, ctx.found.account.id, query)
    return { items: items.map(toBackup), total }
  },
}

const getBackup: Handler<typeof declared.getBackup> = { handle: ({ found }) => toBackup(found.backup) }

const listAllBackups: Handler<typeof declared.listAllBackups> = {
  handle(ctx, { query }) {
    const { items, total } = pageOfAll(ctx, query)
    return { items: items.map(toBackup), total }
  },
}

export const backupOperations = {
  listBackups,
  createBackup,
  getBackup,
  downloadBackup,
  listBackupEntries,
  checkBackup,
  cancelBackup,
  deleteBackup,
  restoreBackup,
  restoreBackupAs,
  getBackupSchedule,
  setBackupSchedule,
  listAllBackups,
}
