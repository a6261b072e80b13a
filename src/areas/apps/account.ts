import type { EventRow } from '../../runtime/emission.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { AccountPart } from '../accounts/part.ts'
import { backup } from './backup.ts'
import { crashedApps } from './notices.ts'
import { filesRestored } from './restored.ts'
import { stopDeploys } from './under-way.ts'
import { appsHost } from './unit.ts'

export const ofAccount = {
  host: { apps: appsHost },
  /** The home has another place: what is being built in the former one cannot go on. */
  changed(ctx, before, after) {
    if (before.username !== after.username) stopDeploys(ctx.runtime, { account: after.id })
  },
  notices: crashedApps,
  backup,
  filesRestored,
} satisfies AccountPart

const moves: readonly EventRow['type'][] = ['account.suspended', 'account.unsuspended', 'account.terminated']

/** Whether anything is to run is another question then. */
export function follow(runtime: Runtime, { type }: EventRow): void {
  if (moves.includes(type)) runtime.store.afterCommit(() => runtime.signals.emit('appChange'))
}
