import { createHash } from 'node:crypto'
import type { ServerState } from '../../../host/contract/driver.ts'
import type { JobKind, RunningJob, Settle } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { localNode } from '../../../shared/node-name.ts'
import { serverOf, watching } from '../../accounts/jobs/apply.ts'
import { noteReported, reportedTo } from './applied.ts'
import { type Own, ownOf, ownOfJob } from './own.ts'
import { serverState } from './state.ts'

const digest = (state: ServerState): string => createHash('sha256').update(JSON.stringify(state)).digest('hex')

/** Applies what no account owns to a host; returns what to commit then. */
export async function applyServer(
  own: Own,
  job: RunningJob,
  besides: Pick<ServerState, 'disablesForeignSites'> = {},
): Promise<Settle> {
  const { runtime, client, node } = own
  const state = await serverState(own)
  const { changed } = await client.applyServer({ ...state, ...besides }, watching(job))
  if (changed > 0) job.log(`the server's own names: ${changed} ${changed === 1 ? 'file' : 'files'} changed on the host`)
  return (ctx: Context) => {
    noteReported(ctx.db, node, digest(state))
    for (const { onServerState: serverApplied } of node === localNode ? runtime.areas : []) serverApplied?.(runtime)
  }
}

/** Whether a host uses them: a directory driver gets them only after a setting was changed. */
const concerns = ({ runtime, client, node }: Own): boolean =>
  client.kind === 'debian' || reportedTo(runtime.store.db, node) !== undefined

/** The desired state of what no account owns, for a read-only comparison; undefined if the host does not use it. */
export async function desiredState(runtime: Runtime, node: string): Promise<ServerState | undefined> {
  const own = ownOf(runtime, node)
  return own && concerns(own) ? serverState(own, [], true) : undefined
}

/** Along with all accounts, at an admin's request, so it also removes what no account has. */
export async function sweepServer(runtime: Runtime, job: RunningJob): Promise<Settle> {
  const own = ownOf(runtime, job.row.node)
  if (!own || !concerns(own)) return () => {}
  await nameDifferences(own, job)
  return applyServer(own, job, { disablesForeignSites: true })
}

/** With a level, since these lines are the purpose of the job. */
async function nameDifferences(own: Own, job: RunningJob): Promise<void> {
  const { runtime, client } = own
  const server = serverOf({ runtime, client }, getSetting(runtime.store.db, 'root_id')!)
  const state = await serverState(own)
  for (const { path, change, note } of await client.diff({ server, state }, watching(job)))
    job.log(`${path}: ${change}${note ? `, ${note}` : ''}`, 'info')
}

/** The digest of the state to apply to the host; undefined if it is up to date. */
export async function unappliedOn(own: Own): Promise<string | undefined> {
  const desired = digest(await serverState(own))
  return reportedTo(own.runtime.store.db, own.node) === desired ? undefined : desired
}

/** Applies the names of a machine to its host. */
export const applyJob = (runtime: Runtime): JobKind => ({
  kind: 'server.apply',
  exists: () => true,
  run: (job) => applyServer(ownOfJob(runtime, job.row), job),
})
