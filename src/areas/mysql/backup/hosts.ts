import { maxDatabaseHosts } from '../../../contract/mysql.ts'
import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { isPublic } from '../server.ts'
import { hostsOf } from '../store.ts'
import { hosts } from '../tables.ts'

/** If the server only listens locally, hosts are left out and reported. */
export function restoreHosts(ctx: Context, account_id: string, all: readonly string[]): string[] {
  const there = new Set(hostsOf.all(ctx.db, account_id).map(({ host }) => host))
  const gone = all.filter((host) => !there.has(host))
  if (!isPublic(ctx.db)) return gone.map((host) => `${host}: not restored, since mysql_public is off`)
  if (there.size + gone.length > maxDatabaseHosts)
    throw new Problem('too-many', `The account would have more than ${maxDatabaseHosts} hosts.`)
  for (const host of gone) {
    const made = { id: ctx.id(), account_id, host, applied: true, created_at: ctx.now }
    ctx.db
      .insert(hosts)
      .values({ ...made, status: 'active' })
      .run()
  }
  return []
}
