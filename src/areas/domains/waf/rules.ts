import { Problem, withoutFeature } from '../../../contract/problem.ts'
import type { SiteRuleChanges, SiteRules } from '../../../contract/site-rules.ts'
import type { HostParts } from '../../../host/contract/driver.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { getSetting, type Settings } from '../../../runtime/settings/settings.ts'
import { allNodes } from '../../nodes/store.ts'
import { sweepOf } from '../../nodes/sweep.ts'
import { hostsOf, mayHave } from '../hosts.ts'
import { domainParts } from '../part.ts'
import { reapplyDomain } from '../preview/end.ts'
import type { DomainRow, StoredRules } from '../tables.ts'

type Waf = NonNullable<SiteRules['waf']>
type HostWaf = NonNullable<NonNullable<HostParts['web']['sites'][number]['rules']>['waf']>

declare module '../../../runtime/settings/settings.ts' {
  interface Settings {
    /** The mode of sites that set none, on hosts with the firewall. */
    waf_default: Waf['mode']
  }
}

const DEFAULT_MODE = 'watch'
const DEFAULT_PARANOIA = 1
export const wafSettings = { waf_default: DEFAULT_MODE } as const

/** A new default takes effect at all sites. */
export function wafDefaultChanged(ctx: Context, changed: Partial<Settings>): void {
  if (!('waf_default' in changed)) return
  const active = allNodes(ctx.db).filter(({ state }) => state !== 'joining' && state !== 'retired')
  for (const node of active) ctx.enqueue(sweepOf(node))
}

/** 403 without the feature, 409 `not-configured` where the host was set up without the firewall. */
export function refuseWithoutWaf(ctx: Context, account: string, change: SiteRuleChanges['waf']): void {
  if (change === undefined) return
  if (!ctx.runtime.ports.hasFeature(ctx, account, 'waf')) throw withoutFeature(['waf'])
  const asksForMore = change !== null && ((change.mode ?? 'off') !== 'off' || change.paranoia != null)
  if (!asksForMore || mayHave(ctx, account, 'waf')) return
  throw new Problem('not-configured', 'This server was set up without it: panel host setup --waf.', {
    waf: 'is not available',
  })
}

/** What is set after a change; null if nothing is. */
export function changedWaf({ waf }: StoredRules, change: SiteRuleChanges['waf']): StoredRules['waf'] | null {
  if (change == null) return null
  const set = Object.entries({ ...waf, ...change }).filter(([, value]) => value != null)
  return set.length === 0 ? null : Object.fromEntries(set)
}

/** Of a site on a node: its own, or the server's default where the node is known to have it. */
function effectiveWaf(runtime: Pick<Runtime, 'store'>, node: string, { waf }: StoredRules): Waf {
  const host = hostsOf(runtime).driverOf(node)
  const offers = host.offers('waf')
  const fallback = host.kind === 'debian' && offers === true ? defaultMode(runtime) : 'off'
  const mode = offers === false ? 'off' : (waf?.mode ?? fallback)
  return { mode, paranoia: waf?.paranoia ?? DEFAULT_PARANOIA }
}

const defaultMode = ({ store }: Pick<Runtime, 'store'>): Waf['mode'] =>
  getSetting(store.db, 'waf_default') ?? DEFAULT_MODE

/** What a domain shows: nothing where nothing is checked and nothing is set. */
export function wafView(runtime: Pick<Runtime, 'store'>, node: string, rules: StoredRules): Pick<SiteRules, 'waf'> {
  const waf = effectiveWaf(runtime, node, rules)
  return waf.mode === 'off' && rules.waf === undefined ? {} : { waf }
}

/** How the host checks requests to a domain: as those to the site that it shows. */
export function wafState(
  runtime: Pick<Runtime, 'store' | 'areas'>,
  { node }: { readonly node: string },
  { id: key }: Pick<DomainRow, 'id'>,
  site: DomainRow,
) {
  const { rules } = site
  const { mode, paranoia } = effectiveWaf(runtime, node, rules)
  if (mode === 'off') return undefined
  const exceptions = (rules.waf_exceptions ?? []).map(({ rule_id, path, parameter }) => ({
    rule: rule_id,
    ...(path !== undefined && { path }),
    ...(parameter !== undefined && { parameter }),
  }))
  const isWordpress = domainParts(runtime).some((part) => part.runsWordpress?.(runtime.store.db, site))
  return { key, mode, paranoia, ...(isWordpress && { wordpress: true }), exceptions } satisfies HostWaf
}

/** Applies the domain again where its content changes what the firewall lets pass. */
export function wafContentChanged(runtime: Runtime, domain: DomainRow): void {
  const node = runtime.ports.nodeOf(runtime.store.db, domain.account_id)
  if (effectiveWaf(runtime, node, domain.rules).mode !== 'off') reapplyDomain(runtime, domain)
}
