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
  /** The home has moved, so a build in the former one cannot continue. */
  changed(ctx, before, after) {
    if (before.username !== after.username) stopDeploys(ctx.runtime, { account: after.id })
  },
  notices: crashedApps,
  backup,
  filesRestored,
} satisfies AccountPart

const moves: readonly EventRow['type'][] = ['account.suspended', 'account.unsuspended', 'account.terminated']

/** Rechecks whether any app should be running. */
export function follow(runtime: Runtime, { type }: EventRow): void {
  if (moves.includes(type)) runtime.store.afterCommit(() => runtime.signals.emit('appChange'))
}
