import type { BackupPartName, restoreBackupAs as declared } from '../../contract/backups.ts'
import type { Input } from '../../contract/operation.ts'
import { Problem, ProblemList } from '../../contract/problem.ts'
import { HostError } from '../../host/contract/driver.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { withinTime } from '../../runtime/operations/host-call.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { withJob } from '../accounts/list/json.sql.ts'
import { partsOf } from '../accounts/objects/part.ts'
import { addAccount, announce } from '../accounts/operations/create.ts'
import { accountById, type FullAccount, nameOf } from '../accounts/store.ts'
import { asProblem } from '../files/problem.ts'
import { hostOf } from '../host/host.ts'
import { refuseMissingPhp } from '../php/store.ts'
import { refuseWhileRead } from './change.ts'
import { type BackupContent, type BackupTexts, contentOf, restoresOf } from './content.ts'
import { placeOf } from './destinations/host-destination.ts'
import { partsToRestore, restoreOrder } from './restore.ts'
import { addRestore } from './restores.ts'
import type { BackupRow } from './tables.ts'

type Target = Omit<Input<typeof declared>['body'], 'parts'>

/** What was read of the backup, for the parts that may be refused. */
type Prepared = BackupTexts | undefined

/** Creates an account and enqueues the restore behind its creation, in its own lane. */
export const restoreBackupAs: Handler<typeof declared, Prepared> = {
  prepare: (ctx, { body: { parts } }) => readBackup(ctx, ctx.found.backup, parts),
  handle(ctx, { body: { parts: named, ...target } }, read) {
    const { backup } = ctx.found
    refuseWhileRead(ctx, backup)
    const parts = preview(ctx, { backup, named, target, read })
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

/** Undefined if nothing of it can be restored: the reason is among the others. */
async function readBackup(
  ctx: Context,
  backup: BackupRow,
  named: readonly BackupPartName[] | undefined,
): Promise<Prepared> {
  if (!new ProblemList().check(() => partsToRestore(backup, named))) return undefined
  const { runtime } = ctx
  const request = { place: placeOf(runtime, backup), manifestSha256: backup.manifest_sha256! }
  const { signal } = new AbortController()
  try {
    return await withinTime(runtime.clock, signal, (ending) => hostOf(runtime).readBackup(request, { signal: ending }))
  } catch (error) {
    const isOfHost = error instanceof HostError && error.constructor === HostError
    throw isOfHost ? new Problem('incomplete', error.message) : asProblem(error)
  }
}

interface Preview {
  readonly backup: BackupRow
  readonly named: readonly BackupPartName[] | undefined
  readonly target: Target
  readonly read: Prepared
}

/** Refuses the account and all that it would not take from the backup, in one problem; returns the parts to restore. */
function preview(ctx: Context, { backup, named, target, read }: Preview): BackupPartName[] {
  const problems = new ProblemList()
  const parts = problems.check(() => partsToRestore(backup, named)) ?? []
  const from = read && contentOf(ctx.runtime, backup, read)
  const run = (body: Target) =>
    ctx.store.dryRun(() => {
      const account = dryAccount(ctx, body)
      problems.check(() => refuseVersions(ctx, account, parts, backup))
      problems.check(() => refuseOverQuota(account, parts, read))
      problems.check(() => refuseOverInodes(account, parts, read))
      if (from) restoreDry(ctx, { account, parts, from, problems })
    })
  const { length } = problems.all
  problems.check(() => run(target))
  // Names that are refused say nothing about the backup: it is looked at with others.
  const refused = problems.all[length]
  if (refused?.fields && (refused.fields['username'] || refused.fields['domain'])) {
    const name = `restore${ctx.id().slice(-6).toLowerCase()}`
    new ProblemList().check(() => run({ ...target, username: name, domain: `${name}.example` }))
  }
  problems.refuse()
  return parts
}

const quiet = (ctx: Context): Context => ({
  ...ctx,
  op: undefined,
  emit: () => ctx.id(),
  enqueue: () => ctx.id(),
  note: () => {},
  header: () => {},
})

function dryAccount(ctx: Context, target: Target): FullAccount {
  const id = addAccount(ctx, target, null)
  announce(quiet(ctx), id)
  return accountById(ctx.db, id)!
}

function refuseVersions(
  ctx: Context,
  { node }: FullAccount,
  parts: readonly BackupPartName[],
  { php_versions }: BackupRow,
): void {
  if (parts.includes('config')) refuseMissingPhp(ctx.db, node, php_versions ?? [])
}

const megabyte = 1024 * 1024

const contentsOf = (parts: readonly BackupPartName[], read: Prepared) =>
  (read?.contents ?? []).filter(({ part }) => parts.includes(part))

function refuseOverQuota({ disk_quota_mb }: FullAccount, parts: readonly BackupPartName[], read: Prepared): void {
  const needed = contentsOf(parts, read).reduce((sum, { bytes }) => sum + bytes, 0)
  if (disk_quota_mb === null || needed <= disk_quota_mb * megabyte) return
  const message = `the backup needs ${Math.ceil(needed / megabyte)} MB, and the account may use ${disk_quota_mb} MB`
  throw new Problem('limit-reached', `disk_quota_mb: ${message}`, { disk_quota_mb: message })
}

function refuseOverInodes({ inodes_limit }: FullAccount, parts: readonly BackupPartName[], read: Prepared): void {
  const needed = contentsOf(parts, read).reduce((sum, { inodes = 0 }) => sum + inodes, 0)
  if (inodes_limit === null || needed <= inodes_limit) return
  const message = `the backup has ${needed} files and directories, and the account may have ${inodes_limit}`
  throw new Problem('limit-reached', `inodes_limit: ${message}`, { inodes_limit: message })
}

interface DryRestore {
  readonly account: FullAccount
  readonly parts: readonly BackupPartName[]
  readonly from: BackupContent
  readonly problems: ProblemList
}

/** Does what the job will do with rows, and collects what each area refuses. */
function restoreDry(ctx: Context, { account, parts, from, problems }: DryRestore): void {
  const dry = quiet(ctx)
  for (const part of restoreOrder.filter((one) => parts.includes(one))) {
    for (const restore of restoresOf(dry, account, part, from)) problems.check(restore)
    const { databases } = from
    if (part === 'mysql' && databases)
      for (const { databases: one } of partsOf(ctx.runtime))
        if (one) problems.check(() => one.restore(dry, account, databases))
  }
}
