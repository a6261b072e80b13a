import type { BackupPartName, restoreBackup as declared } from '../../contract/backups.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { pathProblem, splitPath } from '../../shared/home-path.ts'
import { fullAccount, nameOf } from '../accounts/store.ts'
import { refuseWhileRead } from './change.ts'
import { refuseWhileBusy } from './create.ts'
import { addRestore } from './restores.ts'
import { laneOf, toBackup } from './store.ts'
import type { BackupRow } from './tables.ts'

type RestoreBody = Input<typeof declared>['body']

/** The order of restoring parts: dependencies first. */
export const restoreOrder: readonly BackupPartName[] = ['config', 'dns', 'mysql', 'mail', 'files']

export const restoreBackup: Handler<typeof declared> = {
  handle(ctx, { body }) {
    const { backup } = ctx.found
    const account = fullAccount(ctx)
    const parts = partsToRestore(backup, requestedParts(body))
    const { paths = null, to = null } = pathsIn(body)
    refuseWhileBusy(ctx, account.id)
    refuseWhileRead(ctx, backup)
    const job = { kind: 'backup.restore', account: nameOf(account), object_id: backup.id, lane: laneOf(account.id) }
    const id = ctx.enqueue(job)
    const { databases = null, safety = true } = body
    const row = { id, backup_id: backup.id, account_id: account.id, parts, paths, put_to: to, databases, safety }
    addRestore(ctx, { ...row, safety_id: null, done: [], created_at: ctx.now })
    const only = { ...(paths && { paths }), ...(to && { to }), ...(databases && { databases }) }
    ctx.note({ account, object_id: backup.id, after: { parts, ...only } })
    return { backup: toBackup(backup), job_id: id }
  },
}

/** Paths imply the part `files`, databases `mysql`: naming some selects that part alone. */
function requestedParts({ parts, ...chosen }: RestoreBody): readonly BackupPartName[] | undefined {
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
const others = (chosen: RestoreBody, part: BackupPartName): BackupPartName[] =>
  fieldsOf.flatMap(([field, of]) => (chosen[field] !== undefined && of !== part ? of : []))

interface FilePaths {
  readonly paths?: readonly string[]
  readonly to?: string
}

/** Paths as the host takes them. The home itself selects nothing less than all files, and is where they were. */
function pathsIn({ paths, to }: RestoreBody): FilePaths {
  const plain = paths?.map((path) => plainPath('paths', path))
  const target = to === undefined ? '' : plainPath('to', to)
  if (/^(?:mail|tmp|\.trash|\.panel)(?:\/|$)/.test(target)) throw invalid('to', 'is not a place for files')
  return {
    ...(plain && !plain.includes('') && { paths: [...new Set(plain)] }),
    ...(target !== '' && { to: target }),
  }
}

function plainPath(field: string, path: string): string {
  const bytes = Buffer.from(path)
  const isPlain = !path.startsWith('/') && !/\p{Cc}/u.test(path)
  const problem = isPlain ? pathProblem(bytes) : 'must be a path below the home, such as sites/shop.example'
  if (problem) throw invalid(field, `${JSON.stringify(path.slice(0, MAX_QUOTED_LENGTH))} ${problem}`)
  return splitPath(bytes).join('/')
}

/** Of a path in a message. */
const MAX_QUOTED_LENGTH = 300

/** 409 `incomplete` for parts that were not saved or are damaged. */
export function partsToRestore(backup: BackupRow, named: readonly BackupPartName[] | undefined): BackupPartName[] {
  const { status, parts } = backup
  if (status === 'deleting') throw new Problem('busy', 'The backup is being deleted.')
  if (status === 'running') throw new Problem('busy', 'The backup is being made.')
  if (status === 'failed') throw new Problem('incomplete', 'The backup is failed: nothing can be restored from it.')
  if (status !== 'complete' && !named)
    throw new Problem('incomplete', `The backup is ${status}: name the parts to restore.`)
  const saved = new Set(parts.flatMap((one) => (one.status === 'ok' ? one.part : [])))
  const missing = named?.find((part) => !saved.has(part))
  if (missing) throw new Problem('incomplete', `The part ${missing} is not in the backup.`)
  return restoreOrder.filter((part) => (named ? named.includes(part) : saved.has(part)))
}
