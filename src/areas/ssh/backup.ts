import { noShell } from '../../contract/accounts.ts'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { pick } from '../../shared/pick.ts'
import type { BackupPart, RestoredFrom } from '../accounts/objects/part.ts'
import type { FullAccount } from '../accounts/store.ts'
import { maxKeys } from './operations.ts'
import { addKey, countKeys, isEnabled, keysOf, keyWith, setEnabled } from './store.ts'
import type { SshKeyRow } from './tables.ts'

const columns = ['name', 'type', 'blob', 'fingerprint', 'comment'] as const
type SavedKey = Pick<SshKeyRow, (typeof columns)[number]>

function restoreOne(ctx: Context, account_id: string, saved: SavedKey): void {
  if (keyWith(ctx.db, account_id, saved.blob)) return
  if (countKeys(ctx.db, account_id) >= maxKeys)
    throw new Problem('too-many', `The account has ${maxKeys} SSH keys, which is the most.`)
  addKey(ctx, { id: ctx.id(), account_id, ...pick(saved, columns), applied: true, created_at: ctx.now })
}

/** Keeps newer keys and recreates missing ones. Restores access if the shell allows any. */
function restore(ctx: Context, { id, shell }: FullAccount, { data }: RestoredFrom): readonly string[] {
  const { keys, enabled } = data as { keys: readonly SavedKey[]; enabled: boolean }
  for (const saved of keys) restoreOne(ctx, id, saved)
  setEnabled(ctx, id, enabled && shell !== noShell)
  return enabled && shell === noShell ? ['SSH access stays off: the shell of the account is nologin'] : []
}

export const backup: BackupPart = {
  part: 'config',
  feature: 'ssh',
  save: ({ store: { db } }, { id }) => ({
    data: { enabled: isEnabled(db, id), keys: keysOf(db, id).map((row) => pick(row, columns)) },
  }),
  restore,
}
