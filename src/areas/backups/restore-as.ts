import type { restoreBackupAs as declared } from '../../contract/backups.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { withJob } from '../accounts/list/json.sql.ts'
import { addAccount, announce } from '../accounts/operations/create.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import { refuseWhileRead } from './change.ts'
import { partsToRestore } from './restore.ts'
import { addRestore } from './restores.ts'

/** Creates an account and enqueues the restore behind its creation, in its own lane. */
export const restoreBackupAs: Handler<typeof declared> = {
  handle(ctx, { body: { parts: named, ...target } }) {
    const { backup } = ctx.found
    const parts = partsToRestore(backup, named)
    refuseWhileRead(ctx, backup)
    const account_id = addAccount(ctx, target, null)
    announce(ctx, account_id)
    const account = accountById(ctx.db, account_id)!
    const id = ctx.enqueue({ kind: 'backup.restore', account: nameOf(account), object_id: backup.id })
    const row = {
      id,
      backup_id: backup.id,
      account_id,
      parts,
      paths: null,
      put_to: null,
      databases: null,
      safety: false,
    }
    addRestore(ctx, { ...row, safety_id: null, done: [], created_at: ctx.now })
    ctx.note({ after: { username: account.username, domain: account.main_domain, backup: backup.id, parts } })
    return withJob(ctx, account_id, id)
  },
}
