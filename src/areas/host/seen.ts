import { and, count, eq } from 'drizzle-orm'
import type { HeldAccount, HostClient, Inspection } from '../../host/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { untilAny } from '../../shared/until-any.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { accounts } from '../accounts/tables.ts'
import { unknownOn } from './unknown.ts'

/** What the agent says of the host; nothing where it does not say. */
export interface Seen {
  readonly unknown?: readonly HeldAccount[] | undefined
  readonly machine?: Inspection | undefined
}

/** A caller waits no longer for an agent that is away. */
const patience = 3_000

export async function lookAt(
  runtime: Runtime,
  host: HostClient,
  withAccounts: boolean,
  signal: AbortSignal,
): Promise<Seen> {
  const [unknown, machine] = await Promise.all([
    withAccounts ? unknownOn(runtime, host, signal) : undefined,
    answers(host) ? machineOf(runtime, host, signal) : undefined,
  ])
  return { unknown, machine }
}

/** An agent that is known to be away is not waited for. */
const answers = ({ kind, status }: HostClient): boolean => kind === 'debian' && status.status !== 'unreachable'

async function machineOf(runtime: Runtime, host: HostClient, signal: AbortSignal): Promise<Inspection | undefined> {
  const late = new AbortController()
  const cancel = runtime.clock.after(patience, () => late.abort(new Error('The host agent did not answer in time.')))
  try {
    return (await untilAny([signal, late.signal], (ending) => host.inspect({ signal: ending }))) ?? undefined
  } catch {
    return undefined
  } finally {
    cancel()
  }
}

export const shownMachine = ({ services, unenforced, ...machine }: Inspection) => ({
  ...machine,
  services: services.map((one) => ({ ...one })),
  unenforced: unenforced.map((one) => ({ ...one })),
})

/** Counted once until something changes: all accounts are looked through. */
export const countsOf = versionedCache(({ db }, node) => {
  const on = and(eq(accounts.provisioned, true), eq(accounts.node, node))
  return db
    .select({ accounts: count(), suspended: count(accounts.suspended_at) })
    .from(accounts)
    .where(on)
    .get()
})
