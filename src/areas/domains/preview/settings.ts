import { getDomain } from 'tldts'
import { invalid } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { serverNames } from '../../../runtime/settings/server-names.ts'
import type { Settings } from '../../../runtime/settings/settings.ts'
import { partsOf } from '../../accounts/objects/part.ts'
import { toAscii } from '../../accounts/operations/names.ts'
import { domainsWithin } from '../names.ts'
import { reapplyDomain } from './end.ts'
import { domainsWithPreview } from './store.ts'

const registrable = (name: string): string => getDomain(name, { allowPrivateDomains: true }) ?? name

/** Validates a new name of previews, and has the host show those that there are under it. */
export function previewNameChanged(ctx: Context, changed: Partial<Settings>): void {
  if (!('preview_hostname' in changed)) return
  const name = changed.preview_hostname
  const problem = name ? problemOf(ctx, name) : undefined
  if (problem) throw invalid('preview_hostname', problem)
  for (const domain of domainsWithPreview(ctx.db)) reapplyDomain(ctx.runtime, domain)
}

/** What runs at a name could set cookies for all names of its registrable domain. */
function problemOf(ctx: Context, name: string): string | undefined {
  if (toAscii(name) !== name || !name.includes('.'))
    return 'must be a host name in lower case, such as previews.example'
  const domain = registrable(name)
  const own = Object.values(serverNames(ctx.db, ctx.runtime.hostname))
  if (own.some((one) => registrable(one) === domain))
    return `must be of another registrable domain than the server's names, which share ${domain}`
  const reserved = partsOf(ctx.runtime).flatMap(({ reservedNames }) => reservedNames?.(ctx) ?? [])
  if (reserved.some((one) => registrable(one.name) === domain)) return `must not share ${domain} with other panels`
  if (domainsWithin(ctx, domain).length > 0) return `must not share ${domain} with an account`
  return undefined
}
