import { invalid } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { nameSettings, serverNames } from '../../../runtime/settings/server-names.ts'
import type { Settings } from '../../../runtime/settings/settings.ts'
import { partsOf } from '../../accounts/objects/part.ts'
import { toAscii } from '../../accounts/operations/names.ts'
import { hostOf } from '../host.ts'
import { forgetAllFailures } from './attempts.ts'
import { lane } from './upkeep.ts'

const fields = { webmail: 'webmail_hostname', phpmyadmin: 'phpmyadmin_hostname' } as const
type HostNameUse = keyof typeof fields

/** Settings whose change may make another attempt succeed. */
const chosen = ['acme_directory_url', 'acme_ca', 'acme_contact_email'] as const

/** Validates new names and applies them to the host. */
export function namesChanged(ctx: Context, changed: Partial<Settings>): void {
  for (const use of Object.keys(fields) as HostNameUse[]) if (changed[fields[use]]) refuseName(ctx, use)
  refuseOwnName(ctx, changed.server_contact_email)
  if (chosen.some((name) => name in changed)) forgetAllFailures(ctx.db)
  if (changed.front && hostOf(ctx.runtime).kind !== 'debian')
    throw invalid('front', 'needs a Debian host: run panel host setup')
  if (Object.keys(nameSettings).some((name) => name in changed)) ctx.enqueue({ kind: 'server.apply', lane })
}

function refuseOwnName({ runtime }: Context, address: string | null | undefined): void {
  if (!address?.toLowerCase().endsWith(`@${runtime.hostname.toLowerCase()}`)) return
  throw invalid('server_contact_email', "must not be at the server's own name, whose mail goes there")
}

/** A name must be used neither by another program of the panel nor by a customer's site. */
function refuseName(ctx: Context, use: HostNameUse): void {
  const names = serverNames(ctx.db, ctx.runtime.hostname)
  const name = names[use]
  const problem = nameProblem(ctx, name) ?? (name === names.panel ? "is the server's own hostname" : undefined)
  if (problem) throw invalid(fields[use], problem)
  if (names.webmail === names.phpmyadmin) throw invalid(fields[use], 'must differ from the name of the other program')
}

function nameProblem(ctx: Context, name: string): string | undefined {
  if (toAscii(name) !== name) return 'must be a host name in lower case, such as webmail.example.com'
  return partsOf(ctx.runtime)
    .flatMap(({ names }) => names?.(ctx, { name }) ?? [])
    .at(0)
}
