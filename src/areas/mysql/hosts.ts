import { and, eq } from 'drizzle-orm'
import type * as declared from '../../contract/mysql.ts'
import { maxDatabaseHosts } from '../../contract/mysql.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { isClientHost } from '../../shared/sql/hosts.ts'
import { deletionJob } from '../accounts/operations/deleting.ts'
import { isPublic } from './server.ts'
import { hostsOf, toHost } from './store.ts'
import { type HostRow, hosts } from './tables.ts'

const listDatabaseHosts: Handler<typeof declared.listDatabaseHosts> = {
  handle: ({ db, found }) => ({ items: hostsOf.all(db, found.account.id).map(toHost) }),
}

const hostProblem =
  'must be one IPv4 or IPv6 address in canonical form, or an IPv4 network from /16 to /31 without host bits'

const createDatabaseHost: Handler<typeof declared.createDatabaseHost> = {
  handle(ctx, { body: { host } }) {
    const { account } = ctx.found
    if (!isClientHost(host)) throw invalid('host', hostProblem)
    if (!isPublic(ctx.db))
      throw new Problem(
        'not-configured',
        'Databases on this server accept connections only from the server itself; root can allow others (setting mysql_public).',
      )
    const used = ctx.db
      .select()
      .from(hosts)
      .where(and(eq(hosts.account_id, account.id), eq(hosts.host, host)))
      .get()
    if (used) throw new Problem('exists', `${host} is among the hosts already.`, { host: 'exists already' })
    if (hostsOf.count(ctx.db, account.id) >= maxDatabaseHosts)
      throw new Problem('too-many', `The account has ${maxDatabaseHosts} hosts, which is the most.`)
    const made: HostRow = {
      id: ctx.id(),
      account_id: account.id,
      host,
      applied: false,
      status: 'creating',
      created_at: ctx.now,
    }
    ctx.db.insert(hosts).values(made).run()
    ctx.note({ account, object_id: made.id, after: { host } })
    return { host: toHost(made), job_id: ctx.enqueue({ kind: 'mysql.host.update', account, object_id: made.id }) }
  },
}

const getDatabaseHost: Handler<typeof declared.getDatabaseHost> = {
  handle: ({ found }) => toHost(found.host),
}

/** The row is deleted when the job has removed the host. */
const deleteDatabaseHost: Handler<typeof declared.deleteDatabaseHost> = {
  handle(ctx) {
    const { account, host } = ctx.found
    ctx.note({ account, object_id: host.id, before: { host: host.host } })
    const again = host.status === 'deleting'
    ctx.db.update(hosts).set({ status: 'deleting' }).where(eq(hosts.id, host.id)).run()
    const job = { kind: 'mysql.host.update', account, object_id: host.id } as const
    const job_id = again ? deletionJob(ctx, account, job.kind, host.id) : ctx.enqueue(job)
    return { host: toHost({ ...host, status: 'deleting' }), job_id }
  },
}

export const hostOperations = { listDatabaseHosts, createDatabaseHost, getDatabaseHost, deleteDatabaseHost }
