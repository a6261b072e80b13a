import { eq, inArray, or } from 'drizzle-orm'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/relays.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { accounts } from '../accounts/tables.ts'
import { domains } from '../domains/tables.ts'
import { type RelayRow, relays, relayTargets } from './tables.ts'

type For = Input<typeof declared.createSmtpRelay>['body']['for']
type Target = { readonly account_id: string | null; readonly domain_id: string | null }

export const kindOf = (target: For): RelayRow['kind'] =>
  target === 'server' ? 'server' : 'accounts' in target ? 'accounts' : 'domains'

/** 400 for objects that do not exist. */
function targetsIn({ db }: Context, target: For): Target[] {
  if (target === 'server') return [{ account_id: null, domain_id: null }]
  const isOfAccounts = 'accounts' in target
  const typed = isOfAccounts ? target.accounts : target.domains
  const [table, name] = isOfAccounts ? [accounts, accounts.username] : [domains, domains.name]
  const found = db
    .select({ id: table.id, name })
    .from(table)
    .where(or(inArray(table.id, typed), inArray(name, typed)))
    .all()
  const missing = typed.find((one) => !found.some(({ id, name }) => one === id || one === name))
  if (missing !== undefined)
    throw isOfAccounts
      ? invalid('for.accounts', `${missing} is not an account of this server`)
      : invalid('for.domains', `${missing} is not a domain of this server`)
  return found.map(({ id }) => ({ account_id: isOfAccounts ? id : null, domain_id: isOfAccounts ? null : id }))
}

const isSame = (one: Target, other: Target): boolean =>
  one.account_id === other.account_id && one.domain_id === other.domain_id

/** 409 `exists` for what another relay takes. */
function refuseTaken({ db }: Context, relay: string, targets: readonly Target[]): void {
  const all = db
    .select({ target: relayTargets, name: relays.name })
    .from(relayTargets)
    .innerJoin(relays, eq(relays.id, relayTargets.relay_id))
    .where(eq(relayTargets.gone, false))
    .all()
  const taken = all.find(({ target }) => target.relay_id !== relay && targets.some((one) => isSame(one, target)))
  if (!taken) return
  const what = taken.target.account_id ?? taken.target.domain_id ?? 'the server'
  throw new Problem('exists', `The relay ${taken.name} takes the mail of ${what} already.`, {
    for: `is taken by ${taken.name}`,
  })
}

/** Sets what a relay is for; former targets stay until the hosts know. */
export function setTargets(ctx: Context, relay: string, target: For): void {
  const targets = targetsIn(ctx, target)
  refuseTaken(ctx, relay, targets)
  ctx.db.update(relayTargets).set({ gone: true }).where(eq(relayTargets.relay_id, relay)).run()
  for (const one of targets)
    ctx.db
      .insert(relayTargets)
      .values({ relay_id: relay, ...one, gone: false })
      .run()
}
