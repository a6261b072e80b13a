import { invalid } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Settings } from '../../runtime/settings/settings.ts'
import { localNode } from '../../shared/node-name.ts'
import { allNodes } from '../nodes/store.ts'
import { sweepOf } from '../nodes/sweep.ts'
import { whyNotInstalled } from './store.ts'

/** 400 for a version that the control plane's own node lacks. */
export function refuseSettings({ default_php_version: version }: Partial<Settings>, { store }: Runtime): void {
  const why = version && whyNotInstalled(store.db, localNode, version)
  if (why) throw invalid('default_php_version', why)
}

/** Applies them to all accounts. */
export function settingsChanged(ctx: Context, changed: Partial<Settings>): void {
  if (!('default_php_version' in changed || 'site_idle_minutes' in changed)) return
  const active = allNodes(ctx.db).filter(({ state }) => state !== 'joining' && state !== 'retired')
  for (const node of active) ctx.enqueue(sweepOf(node))
}
