import { type BackupPartName, backupParts, type createBackup as declared } from '../../contract/backups.ts'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { fullAccount, nameOf } from '../accounts/store.ts'
import { defaultDestination, namedDestination } from './destinations/store.ts'
import { validateOnHost } from './destinations/validate.ts'
import { planOf } from './plan.ts'
import { activeJobs, addBackup, countManual, laneOf, toBackup } from './store.ts'
import type { BackupRow } from './tables.ts'

/** In the contract's order, without duplicates. */
export const partsIn = (requested: readonly BackupPartName[] | undefined): BackupPartName[] =>
  backupParts.filter((part) => requested?.includes(part) ?? true)

type New = Pick<BackupRow, 'id' | 'kind' | 'wanted' | 'destination_id' | 'note' | 'job_id' | 'created_at'>

/** A backup row before it is made. */
export const newBackup = (
  account: { id: string; username: string; domain: string; owner_id: string },
  made: New,
): BackupRow => ({
  ...made,
  account_id: account.id,
  username: account.username,
  domain: account.domain,
  owner_id: account.owner_id,
  status: 'running',
  parts: [],
  size_bytes: 0,
  manifest_sha256: null,
  texts_sha256: null,
  checked_at: null,
  expires_at: null,
  finished_at: null,
  secrets_key: null,
  tried_at: null,
  damage: null,
  php_versions: null,
})

export const createBackup: Handler<typeof declared, void> = {
  prepare: async (ctx, { body }) => validateOnHost(ctx, { type: destinationFor(ctx, body.destination_id).type }),
  handle(ctx, { body }) {
    const account = fullAccount(ctx)
    const plan = planOf(ctx.db, account)
    const destination = destinationFor(ctx, body.destination_id)
    refuseWhileBusy(ctx, account.id)
    refuseOneMore(ctx, account.id, plan.max)
    const id = ctx.id()
    const requested = partsIn(body.parts)
    const name = nameOf(account)
    const job_id = ctx.enqueue({ kind: 'backup.account', account: name, object_id: id, lane: laneOf(account.id) })
    const made = {
      id,
      kind: 'manual',
      wanted: requested,
      destination_id: destination.id,
      job_id,
      created_at: ctx.now,
    } as const
    const backup = newBackup(name, { ...made, note: body.note ?? '' })
    addBackup(ctx, backup)
    ctx.emit({ type: 'backup.started', account: name, object_id: id, details: { parts: requested } })
    ctx.note({ account, object_id: id, after: { parts: requested } })
    return { backup: toBackup(backup), job_id }
  },
}

const destinationFor = (ctx: Context, id: string | undefined) => namedDestination(ctx, id) ?? defaultDestination(ctx.db)

/** 409 `busy` while a backup of the account is being made or restored. */
export function refuseWhileBusy({ runtime }: Context, account: string): void {
  const [job] = activeJobs(runtime, account, ['backup.account', 'backup.restore'])
  if (!job) return
  const what = job.kind === 'backup.restore' ? 'restored' : 'made'
  throw new Problem('busy', `A backup of the account is being ${what}. Wait for job ${job.id}.`)
}

function refuseOneMore({ db }: Context, account: string, max: number): void {
  const used = countManual(db, account)
  if (used < max) return
  const message = `${used} of ${max} backups are kept; delete one first`
  throw new Problem('limit-reached', `The account has ${used} of ${max} backups. Delete one first.`, {
    max_backups: message,
  })
}
