import type { BackupPlace, Destination } from '../../../host/contract/driver.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { BackupRow, DestinationRow } from '../tables.ts'
import { repositoryOf } from './keys.ts'
import { destinationById } from './store.ts'

/** A destination, as the host gets it. */
export function hostDestination(runtime: Pick<Runtime, 'unseal'>, row: DestinationRow): Destination {
  const repository = repositoryOf(runtime, row)
  if (repository) return { repository }
  return row.path === null ? {} : { path: row.path }
}

/** The place of a backup, on the host or remote. */
export const placeOf = (
  runtime: Pick<Runtime, 'store' | 'unseal'>,
  { id, account_id, destination_id }: BackupRow,
): BackupPlace => ({
  account: account_id,
  backup: id,
  ...hostDestination(runtime, destinationById(runtime.store.db, destination_id)!),
})
