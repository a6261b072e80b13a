import type { BackupPartName, restoreBackup as declared } from '../../contract/backups.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { fullAccount, nameOf } from '../accounts/store.ts'
import { refuseWhileRead } from './change.ts'
import { refuseWhileBusy } from './create.ts'
import { addRestore } from './restores.ts'
import { laneOf, toBackup } from './store.ts'
import type { BackupRow } from './tables.ts'

type Body = Input<typeof declared>['body']

/** The order of restoring parts: dependencies first. */
export const restoreOrder: readonly BackupPartName[] = ['config', 'dns', 'mysql', 'mail', 'files']

export const restoreBackup: Handler<typeof declared> = {
  handle(ctx, { body }) {
    const { backup } = ctx.found
    const account = fullAccount(ctx)
    const parts = partsToRestore(backup, requestedParts(body))
    refuseInvalidPaths(body)
    refuseWhileBusy(ctx, account.id)
    refuseWhileRead(ctx, backup)
    const job = { kind: 'backup.restore', account: nameOf(account), object_id: backup.id, lane: laneOf(account.id) }
    const id = ctx.enqueue(job)
    const { paths = null, to = null, databases = null, safety = true } = body
    const row = { id, backup_id: backup.id, account_id: account.id, parts, paths, put_to: to, databases, safety }
    addRestore(ctx, { ...row, safety_id: null, done: [], created_at: ctx.now })
    const only = { ...(paths && { paths }), ...(to && { to }), ...(databases && { databases }) }
    ctx.note({ account, object_id: backup.id, after: { parts, ...only } })
    return { backup: toBackup(backup), job_id: id }
  },
}

/** Paths imply the part `files`, databases `mysql`: naming some selects that part alone. */
function requestedParts({ parts, ...chosen }: Body): readonly BackupPartName[] | undefined {
  for (const [field, part] of fieldsOf)
    if (chosen[field] !== undefined && [...(parts ?? []), ...others(chosen, part)].some((one) => one !== part))
      throw invalid(field, `is for the part ${part} alone`)
  const named = fieldsOf.find(([field]) => chosen[field] !== undefined)
  return named ? [named[1]] : parts
}

const fieldsOf = [
  ['paths', 'files'],
  ['to', 'files'],
  ['databases', 'mysql'],
] as const

/** The parts that fields for other parts select. */
const others = (chosen: Body, part: BackupPartName): BackupPartName[] =>
  fieldsOf.flatMap(([field, of]) => (chosen[field] !== undefined && of !== part ? of : []))

function refuseInvalidPaths({ paths = [], to }: Body): void {
  for (const path of paths) {
    const problem = pathProblem(path)
    if (problem) throw invalid('paths', `${JSON.stringify(path)} ${problem}`)
  }
  const problem = to === undefined ? undefined : pathProblem(to)
  if (problem) throw invalid('to', problem)
  if (to !== undefined && /^(?:mail|tmp|\.trash|\.panel)(?:\/|$)/.test(to))
    throw invalid('to', 'is not a place for files')
}

const deepest = 64

/** Why a path is syntactically not below a home. */
function pathProblem(path: string): string | undefined {
  const parts = path.split('/')
  if (parts.some((part) => ['', '.', '..'].includes(part)))
    return 'must be a path below the home, such as sites/shop.example'
  if (/\p{Cc}/u.test(path)) return 'must not contain control characters'
  if (parts.some((part) => Buffer.byteLength(part) > 255)) return 'must not contain a name of more than 255 bytes'
  return parts.length > deepest ? `must be at most ${deepest} directories deep` : undefined
}

/** 409 `incomplete` for parts that were not saved or are damaged. */
export function partsToRestore(backup: BackupRow, named: readonly BackupPartName[] | undefined): BackupPartName[] {
  const { status, parts } = backup
  if (status === 'deleting') throw new Problem('busy', 'The backup is being deleted.')
  if (status === 'running') throw new Problem('busy', 'The backup is being made.')
  if (status !== 'complete' && status !== 'incomplete')
    throw new Problem('incomplete', `The backup is ${status}: nothing can be restored from it.`)
  if (status === 'incomplete' && !named)
    throw new Problem('incomplete', 'The backup is incomplete: name the parts to restore.')
  const saved = new Set(parts.flatMap((one) => (one.status === 'ok' ? one.part : [])))
  const missing = named?.find((part) => !saved.has(part))
  if (missing) throw new Problem('incomplete', `The part ${missing} is not in the backup.`)
  return restoreOrder.filter((part) => (named ? named.includes(part) : saved.has(part)))
}
