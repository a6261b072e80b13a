import { and, desc, eq, isNotNull, sql } from 'drizzle-orm'
import { localNode } from '../../shared/node-name.ts'
import type { Db } from '../../store/open.ts'
import type { NoticeData, Notices } from '../accounts/objects/notice.ts'
import { nodeByName } from '../nodes/store.ts'
import { nodes } from '../nodes/tables.ts'
import { dismissals } from '../notices/tables.ts'
import { machineIssues } from './tables.ts'
import { newerRelease } from './updates.ts'

/** What is wrong with machines, and a newer release; for root alone. */
export const machineNotices: Notices = ({ db, runtime }, { account, owner, limit }) => {
  if (account !== undefined || owner !== undefined) return []
  const server = { object: 'server', name: runtime.hostname }
  const issues = issuesIn(db, limit).map(({ issue: { kind, severity, detail, since, node_id }, node }) => ({
    ...{ kind, severity, detail, since: since!, object_id: node_id },
    ...(node === localNode ? server : { object: 'node', name: node }),
  }))
  const releases = newerRelease({ db }).map((found) => ({
    ...server,
    ...found,
    object_id: nodeByName(db, localNode)!.id,
  }))
  return [...issues, ...releases.filter((one) => !isDismissed(db, one))]
}

const isHidden = sql`EXISTS (SELECT 1 FROM ${dismissals} WHERE ${dismissals.kind} = ${machineIssues.kind}
  AND ${dismissals.object_id} = ${machineIssues.node_id} AND ${dismissals.since} >= ${machineIssues.since})`

const issuesIn = (db: Db, limit: number) =>
  db
    .select({ issue: machineIssues, node: nodes.name })
    .from(machineIssues)
    .innerJoin(nodes, eq(nodes.id, machineIssues.node_id))
    .where(and(isNotNull(machineIssues.since), sql`NOT ${isHidden}`))
    .orderBy(desc(machineIssues.since))
    .limit(limit)
    .all()

function isDismissed(db: Db, { kind, object_id, since }: NoticeData): boolean {
  const own = and(eq(dismissals.kind, kind), eq(dismissals.object_id, object_id))
  const dismissed = db.select().from(dismissals).where(own).get()
  return dismissed !== undefined && dismissed.since >= since
}
