import type { BackupPartName } from '../../contract/backups.ts'
import type { HostClient } from '../../host/contract/client.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { RestoredFrom, SavedDatabases } from '../accounts/objects/part.ts'
import { restoreWith } from '../accounts/operations/restore-with.ts'
import type { FullAccount } from '../accounts/store.ts'
import { secretsIn } from './secrets.ts'
import type { BackupRow } from './tables.ts'
import { refuseChanged } from './texts.ts'

/** As the host reads it. */
export type BackupTexts = Awaited<ReturnType<HostClient['readBackup']>>

/** What a backup says of an account, without its files, mail and rows of databases. */
export interface BackupContent extends Omit<RestoredFrom, 'data'> {
  readonly areas: Readonly<Record<string, object>>
  /** For the part `mysql`. */
  readonly databases?: SavedDatabases
}

export function contentOf(runtime: Runtime, backup: BackupRow, { texts }: BackupTexts): BackupContent {
  refuseChanged(backup, texts)
  const named = Object.fromEntries(texts.map(({ name, text }) => [name, text]))
  const { account, areas, databases } = JSON.parse(named['account.json'] ?? '{}')
  return { account, areas, databases, texts: named, secrets: secretsIn(runtime, backup) }
}

/** What restores each area's share of a part: call them in order. Each returns one sentence for each thing left out. */
export function restoresOf(
  ctx: Context,
  account: FullAccount,
  part: BackupPartName,
  from: BackupContent,
): (() => readonly string[])[] {
  return ctx.runtime.areas.flatMap(({ name: what, ofAccount }) => {
    const data = from.areas?.[what]
    if (ofAccount?.backup?.part !== part || !data) return []
    const { feature, restore } = ofAccount.backup
    return () => restoreWith(ctx, account.id, { what, feature }, () => restore(ctx, account, { ...from, data }))
  })
}
