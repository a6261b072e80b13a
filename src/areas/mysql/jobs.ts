import { eq } from 'drizzle-orm'
import type { JobKind } from '../../runtime/jobs/job-kind.ts'
import type { JobRow } from '../../runtime/tables.ts'
import type { Host } from '../accounts/jobs/apply.ts'
import { applyFor, objectJobs, removeObject, statusOf, undoCreate } from '../accounts/objects/object-jobs.ts'
import { databases, hosts, users } from './tables.ts'

const scope = { areas: ['db'] } as const

/** Adds or removes a host, according to its row when the job runs. */
function hostJob(host: Host): JobKind {
  const { db } = host.runtime.store
  const rowOf = ({ object_id }: JobRow) => db.select().from(hosts).where(eq(hosts.id, object_id!)).get()
  return {
    kind: 'mysql.host.update',
    exists: (job) => rowOf(job) !== undefined,
    async run(job) {
      const id = job.row.object_id!
      const before = rowOf(job.row)?.status
      await applyFor(host, job, scope)
      return (ctx) => {
        if (before === 'deleting') return removeObject(ctx, hosts, id)
        const status = statusOf(ctx.db, hosts, id) === 'creating' ? { status: 'active' as const } : {}
        ctx.db
          .update(hosts)
          .set({ applied: true, ...status })
          .where(eq(hosts.id, id))
          .run()
      }
    },
    async undo(job, signal) {
      if (rowOf(job)?.applied === false) await undoCreate(host, { table: hosts, scope }, job, signal)
    },
    failed(ctx, job) {
      if (rowOf(job)?.applied === false) removeObject(ctx, hosts, job.object_id!)
    },
  }
}

/** Kinds that apply an account's databases. */
export function mysqlJobs(host: Host): JobKind[] {
  return [
    ...objectJobs(host, {
      table: databases,
      scope,
      create: 'mysql.database.create',
      changes: ['mysql.grant.update'],
      delete: 'mysql.database.delete',
    }),
    ...objectJobs(host, {
      table: users,
      scope,
      create: 'mysql.user.create',
      changes: ['mysql.user.password'],
      delete: 'mysql.user.delete',
    }),
    hostJob(host),
  ]
}
