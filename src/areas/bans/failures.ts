import type { FailedSignIn } from '../../runtime/areas/ports.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { settingOf } from '../../runtime/settings/settings.ts'
import { FailureCounter, type FailureTally } from '../../shared/failure-counter.ts'
import { bannedNetwork } from '../../shared/networks.ts'
import { ownChanges } from './announce.ts'
import { banFor } from './ban.ts'
import { administrators, isAmong, neverBanned } from './exempt.ts'
import type { CountedService } from './services.ts'
import { DEFAULT_BAN_FAILURES } from './settings.ts'

const counters = new WeakMap<Runtime, FailureCounter<CountedService>>()

function counterOf(runtime: Runtime): FailureCounter<CountedService> {
  const counter = counters.get(runtime) ?? new FailureCounter()
  counters.set(runtime, counter)
  return counter
}

/** Counts a failed sign-in at the panel itself. */
export function signInFailed(runtime: Runtime, { address, service, name }: FailedSignIn): void {
  const network = address === undefined ? undefined : bannedNetwork(address)
  if (network === undefined) return
  const limit = settingOf(runtime.store, 'ban_failures') ?? DEFAULT_BAN_FAILURES
  const tally = counterOf(runtime).add({ network, service, name, now: runtime.clock.now() }, limit)
  if (tally) void ban(runtime, tally)
}

export function signInSucceeded(runtime: Runtime, address: string | undefined): void {
  const network = address === undefined ? undefined : bannedNetwork(address)
  if (network !== undefined) counterOf(runtime).halve(network, runtime.clock.now())
}

async function ban(runtime: Runtime, tally: FailureTally<CountedService>): Promise<void> {
  try {
    await runtime.store.change(() => {
      const changes = ownChanges(runtime)
      if (!isExempt(changes, tally.network)) banFor(changes, tally)
    })
  } catch (error) {
    runtime.log.error({ err: error }, 'an address could not be banned')
  }
}

/** Whether an address is never banned for what it fails. */
export const isExempt = ({ db, now }: ReturnType<typeof ownChanges>, network: string): boolean =>
  isAmong([...neverBanned(db), ...administrators(db, now)], network)
