import type * as declared from '../../contract/mysql.ts'
import { invalid } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { all, type Granted, privileges } from '../../shared/sql/privileges.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { refuseDeleting } from '../accounts/operations/deleting.ts'
import { grantOn, removeGrant, setGrant, toDatabase } from './store.ts'
import type { DatabaseRow, UserRow } from './tables.ts'

interface OfGrant {
  readonly found: { readonly account: FoundAccount; readonly database: DatabaseRow; readonly user: UserRow }
}

/** The requested privileges in canonical order, without duplicates. */
export function grantedBy(requested: Granted): Granted {
  if (!requested.includes(all)) return privileges.filter((one) => requested.includes(one))
  if (requested.some((one) => one !== all)) throw invalid('privileges', 'cannot combine ALL with others')
  return [all]
}

function refuseEnding({ found: { database, user } }: OfGrant): void {
  refuseDeleting(database.name, database)
  refuseDeleting(user.name, user)
}

/** Enqueues the job that applies a database's users; one job covers all changes before it runs. */
function accepted(ctx: Context & OfGrant) {
  const { account, database } = ctx.found
  const job_id = ctx.enqueue({ kind: 'mysql.grant.update', account, object_id: database.id })
  return { database: toDatabase(ctx, database), job_id }
}

const setDatabaseGrant: Handler<typeof declared.setDatabaseGrant> = {
  handle(ctx, { body }) {
    const { account, database, user } = ctx.found
    const granted = grantedBy(body.privileges ?? [all])
    refuseEnding(ctx)
    const before = grantOn(ctx, database.id, user.id)
    setGrant(ctx, database.id, user.id, granted)
    const subject = { database: database.name, user: user.name }
    ctx.note({
      account,
      object_id: database.id,
      ...(before && { before: { ...subject, privileges: before } }),
      after: { ...subject, privileges: granted },
    })
    return accepted(ctx)
  },
}

const deleteDatabaseGrant: Handler<typeof declared.deleteDatabaseGrant> = {
  handle(ctx) {
    const { account, database, user } = ctx.found
    removeGrant(ctx, database.id, user.id)
    refuseEnding(ctx)
    ctx.note({ account, object_id: database.id, before: { database: database.name, user: user.name } })
    return accepted(ctx)
  },
}

export const grantOperations = { setDatabaseGrant, deleteDatabaseGrant }
