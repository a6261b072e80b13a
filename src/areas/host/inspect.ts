import { and, count, eq } from 'drizzle-orm'
import type { HostAccount, HostClient, Inspection } from '../../host/contract/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { untilAny } from '../../shared/until-any.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { accounts } from '../accounts/tables.ts'
import { unknownOn } from './unknown.ts'

/** What the agent reports about the host; undefined if it does not. */
export interface Seen {
  readonly unknown?: readonly HostAccount[] | undefined
  readonly machine?: Inspection | undefined
}

/** How long a caller waits for an unresponsive agent. */
const REPLY_TIMEOUT_MS = 3_000

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

/** Does not wait for an agent that is known to be away. */
const answers = ({ kind, status }: HostClient): boolean => kind === 'debian' && status.status !== 'unreachable'

async function machineOf(runtime: Runtime, host: HostClient, signal: AbortSignal): Promise<Inspection | undefined> {
  const late = new AbortController()
  const cancel = runtime.clock.after(REPLY_TIMEOUT_MS, () =>
    late.abort(new Error('The host agent did not answer in time.')),
  )
  try {
    return (await untilAny([signal, late.signal], (ending) => host.inspect({}, { signal: ending }))) ?? undefined
  } catch {
    return undefined
  } finally {
    cancel()
  }
}

export const visibleMachine = ({
  services,
  unenforced,
  misconfigured,
  queuedMail,
  php: _,
  ...machine
}: Inspection) => ({
  ...machine,
  ...(queuedMail === undefined ? {} : { queued_mail: queuedMail }),
  ...(misconfigured && { misconfigured: misconfigured.map((one) => ({ ...one })) }),
  services: services.map((one) => ({ ...one })),
  unenforced: unenforced.map((one) => ({ ...one })),
})

/** Cached until the store changes: counting reads all accounts. */
export const countsOf = versionedCache(({ db }, node) => {
  const on = and(eq(accounts.provisioned, true), eq(accounts.node, node))
  return db
    .select({ accounts: count(), suspended: count(accounts.suspended_at) })
    .from(accounts)
    .where(on)
    .get()
})
