import type { BackupPartName, PartResult } from '../../contract/backups.ts'
import type { BackupRequest, BackupText, ReadPart, SavedBackup } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type BackupPart, partsOf, type SavedDatabases, type Secrets } from '../accounts/objects/part.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import type { FullAccount } from '../accounts/store.ts'
import { placeOf } from './destinations/host-destination.ts'
import type { BackupRow } from './tables.ts'

const isRead = (part: BackupPartName): part is ReadPart => part === 'files' || part === 'mail'

/** The host's order for a backup, from the store's current state. */
export function orderOf(runtime: Runtime, backup: BackupRow, account: FullAccount, secrets: Secrets): BackupRequest {
  const databases = backup.wanted.includes('mysql') ? databasesOf(runtime, account) : undefined
  return {
    place: placeOf(runtime, backup),
    account: hostNameOf(account),
    createdAt: backup.created_at,
    parts: backup.wanted.filter(isRead),
    ...(databases && { databases: databases.databases.map(({ name }) => name) }),
    texts: textsOf(runtime, { requested: backup.wanted, databases }, account, secrets),
  }
}

const databasesOf = (runtime: Runtime, account: FullAccount): SavedDatabases | undefined =>
  partsOf(runtime)
    .find(({ databases }) => databases)
    ?.databases?.saved(runtime.store.db, account)

interface SaveRequest {
  readonly requested: readonly BackupPartName[]
  readonly databases: SavedDatabases | undefined
}

/** `account.json`, and the areas' texts. */
function textsOf(
  runtime: Runtime,
  { requested, databases }: SaveRequest,
  account: FullAccount,
  secrets: Secrets,
): BackupText[] {
  const areas: Record<string, object> = {}
  const texts: BackupText[] = []
  for (const { name, ofAccount } of runtime.areas) {
    const saved =
      ofAccount?.backup && saves(requested, ofAccount.backup) && ofAccount.backup.save(runtime, account, secrets)
    if (!saved) continue
    areas[name] = saved.data
    for (const [file, text] of Object.entries(saved.texts ?? {})) texts.push({ name: file, text })
  }
  const { id, username, main_domain: domain } = account
  const about = { format: 1, account: { id, username, domain }, areas, ...(databases && { databases }) }
  return [{ name: 'account.json', text: `${JSON.stringify(about, null, 2)}\n` }, ...texts]
}

const saves = (requested: readonly BackupPartName[], { part }: BackupPart): boolean => requested.includes(part)

/** The result of each wanted part, in order, as far as it is stored. */
export const resultsOf = ({ wanted: requested }: BackupRow, saved: SavedBackup): PartResult[] =>
  bounded(
    requested.map((part) => saved.parts.find((one) => one.part === part) ?? resultOf(part, saved)) as PartResult[],
  )

/** Of all warnings of a backup: each list reads them, and a node chooses how many it sends. */
const MAX_WARNINGS_LENGTH = 65_536
/** What an empty one counts as. */
const MIN_WARNING_LENGTH = 50
const MAX_ERROR_LENGTH = 2_000

function bounded(results: readonly PartResult[]): PartResult[] {
  let left = MAX_WARNINGS_LENGTH
  return results.map(({ warnings, error, ...result }) => {
    const stored = warnings?.filter(({ length }) => {
      left -= Math.max(length, MIN_WARNING_LENGTH)
      return left >= 0
    })
    const more = (warnings?.length ?? 0) - (stored?.length ?? 0)
    return {
      ...result,
      ...(stored && { warnings: more > 0 ? [...stored, `${more} more, in the job's log`] : stored }),
      ...(error !== undefined && { error: error.slice(0, MAX_ERROR_LENGTH) }),
    }
  })
}

const resultOf = (part: BackupPartName, { texts }: SavedBackup): PartResult => {
  const zones = Object.entries(texts).filter(([name]) => name.startsWith('dns/'))
  if (part === 'config') return { part, status: 'ok', files: 1, bytes: texts['account.json'] ?? 0 }
  if (part === 'dns' && zones.length > 0)
    return { part, status: 'ok', files: zones.length, bytes: zones.reduce((sum, [, bytes]) => sum + bytes, 0) }
  return { part, status: 'absent' }
}

/** Why a backup is incomplete, in one sentence. */
export function problemOf(parts: readonly PartResult[]): string | undefined {
  const failed = parts.filter(({ status }) => status === 'failed')
  if (failed.length === 0) return undefined
  return `The backup is incomplete: ${failed.map(({ part, error }) => `${part}: ${error}`).join(' ')}`
}
