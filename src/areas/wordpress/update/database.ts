import { HostError } from '../../../host/contract/driver.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { roomForAll } from '../../files/quota.ts'
import { databaseNamed } from '../../mysql/store.ts'
import type { DatabaseRow } from '../../mysql/tables.ts'
import { baseOf, encoded } from '../files.ts'
import type { TableChecksums } from './tables.ts'
import { ask, type Updating } from './updating.ts'

const TIMEOUT_S = 120

/** A copy of a site's database, and what its tables held then. */
export interface DatabaseCopy {
  readonly database: string
  readonly checksums: TableChecksums
}

/** The site's database, if it is one of the account's: its configuration may name any. */
function databaseOf({ host, account, site }: Updating): DatabaseRow | undefined {
  const found = site.database === null ? undefined : databaseNamed(host.runtime.store.db, site.database)
  return found?.account_id === account.id && found.status === 'active' ? found : undefined
}

export const copyAt = ({ site }: Updating, name: 'before' | 'step'): string => `${baseOf(site)}/${name}.sql.gz`

/** Saves the database beside the site; undefined if it is not the account's. */
export async function copyDatabase(updating: Updating, name: 'before' | 'step'): Promise<DatabaseCopy | undefined> {
  const { host, account, signal } = updating
  const database = databaseOf(updating)
  if (!database) return undefined
  const checksums = await checksumsOf(updating)
  await host.client.exportDatabase(
    {
      account: hostNameOf(account),
      id: host.runtime.id(),
      database: database.name,
      compression: 'gzip',
      to: { path: encoded(copyAt(updating, name)), overwrite: true },
      ...(await roomForAll(host.runtime, account.id, signal)),
    },
    { signal },
  )
  return { database: database.name, checksums }
}

const checksumsOf = async (updating: Updating): Promise<TableChecksums> =>
  (await ask(updating, { task: 'contents', input: {}, timeoutS: TIMEOUT_S })).tables

/** Loads a copy, unless tables changed that hold what no one can make again; answers whether it did. */
export async function restoreDatabase(
  updating: Updating,
  copy: DatabaseCopy,
  name: 'before' | 'step',
): Promise<boolean> {
  const { host, account, signal } = updating
  const database = databaseOf(updating)
  if (database?.name !== copy.database || !(await isUnchanged(updating, copy))) return false
  await host.client.importDatabase(
    {
      account: hostNameOf(account),
      id: host.runtime.id(),
      database: { name: database.name, collation: database.collation },
      source: { kind: 'file', path: encoded(copyAt(updating, name)) },
      replace: true,
      prefix: account.db_prefix,
    },
    { signal },
  )
  return true
}

/** A site that does not answer may have changed. */
async function isUnchanged(updating: Updating, { checksums }: DatabaseCopy): Promise<boolean> {
  try {
    const now = new Map((await checksumsOf(updating)).map(({ name, checksum }) => [name, checksum]))
    return now.size === checksums.length && checksums.every(({ name, checksum }) => now.get(name) === checksum)
  } catch (error) {
    if (error instanceof HostError && error.stage === 'stage') return false
    throw error
  }
}
