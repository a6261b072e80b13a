import { createHash } from 'node:crypto'
import type { HostClient } from '../../../host/client.ts'
import type { ServerState } from '../../../host/driver.ts'
import type { Lookups } from '../../../outgoing/lookups.ts'
import type { Context } from '../../../runtime/context.ts'
import type { JobKind, RunningJob, Settle } from '../../../runtime/kind.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ServerCertificate } from '../../../runtime/server-certificate.ts'
import { getSetting, setSetting } from '../../../runtime/settings.ts'
import { serverOf, watching } from '../../accounts/apply.ts'
import { serverState } from './state.ts'

declare module '../../../runtime/settings.ts' {
  interface Settings {
    /** Of what the host was last told of the server's own names. */
    server_applied: string
  }
}

/** What has a part in the server's own names. */
export interface Own {
  readonly runtime: Runtime
  readonly client: HostClient
  readonly certificate: ServerCertificate
  readonly lookups: Lookups
}

const owns = new WeakMap<Runtime, Own>()

/** Lets hooks and operations know them. */
export const rememberOwn = (own: Own): void => void owns.set(own.runtime, own)
export const ownOf = (runtime: Runtime): Own => owns.get(runtime)!

const digest = (state: ServerState): string => createHash('sha256').update(JSON.stringify(state)).digest('hex')

/** Brings what no account owns in line with the store; answers what to write then. */
export async function applyServer(
  { runtime, client, certificate }: Own,
  job: RunningJob,
  besides: Pick<ServerState, 'setsAside'> = {},
): Promise<Settle> {
  const state = await serverState(runtime, certificate)
  const { changed } = await client.applyServer({ ...state, ...besides }, watching(job))
  if (changed > 0) job.log(`the server's own names: ${changed} ${changed === 1 ? 'file' : 'files'} changed on the host`)
  return (ctx: Context) => {
    setSetting(ctx.db, 'server_applied', digest(state))
    for (const { serverTold } of runtime.areas) serverTold?.(runtime)
  }
}

/** Whether a host has a use for them: files alone are told only once something was chosen. */
const concerns = ({ runtime, client }: Own): boolean =>
  client.kind === 'debian' || getSetting(runtime.store.db, 'server_applied') !== undefined

/** What no account owns, as the host is to have it, for a look that writes nothing; nothing where that is of no use to it. */
export async function wantedState(runtime: Runtime): Promise<ServerState | undefined> {
  const own = ownOf(runtime)
  return concerns(own) ? serverState(runtime, own.certificate, [], true) : undefined
}

/** With all accounts: it was asked for, so that it takes away what nobody has. */
export async function sweepServer(runtime: Runtime, job: RunningJob): Promise<Settle> {
  const own = ownOf(runtime)
  if (!concerns(own)) return () => {}
  await nameDifferences(own, job)
  return applyServer(own, job, { setsAside: true })
}

/** With a level, since these lines are what the job is for. */
async function nameDifferences({ runtime, client, certificate }: Own, job: RunningJob): Promise<void> {
  const server = serverOf({ runtime, client }, getSetting(runtime.store.db, 'root_id')!)
  const state = await serverState(runtime, certificate)
  for (const { path, change, note } of await client.diff({ server, state }, watching(job)))
    job.log(`${path}: ${change}${note ? `, ${note}` : ''}`, 'info')
}

/** Whether the host was told of something else, or of nothing yet. */
export async function isBehind({ runtime, certificate }: Own): Promise<boolean> {
  return getSetting(runtime.store.db, 'server_applied') !== digest(await serverState(runtime, certificate))
}

/** Tells the host of the server's own names. */
export const applyJob = (own: Own): JobKind => ({
  kind: 'server.apply',
  exists: () => true,
  run: (job) => applyServer(own, job),
})
