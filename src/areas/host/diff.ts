import type * as declared from '../../contract/host.ts'
import { invalid } from '../../contract/problem.ts'
import type { Difference } from '../../host/driver.ts'
import type { Context } from '../../runtime/context.ts'
import type { HostHandler } from '../../runtime/run.ts'
import { getSetting } from '../../runtime/settings.ts'
import type { Db } from '../../store/open.ts'
import { differencesOf, type Host, serverOf } from '../accounts/apply.ts'
import { accountById, type FullAccount } from '../accounts/store.ts'
import { appliedAccounts } from '../accounts/sweep.ts'
import { hostOf } from './host.ts'
import { wantedState } from './names/apply.ts'

const maxShown = 1000

/** A difference, and whose it is. */
interface Found extends Difference {
  readonly account_id?: string
  readonly username?: string
}

/** The account that an id names. */
export function named(db: Db, id: string): FullAccount {
  const account = accountById(db, id)
  if (!account) throw invalid('account_id', 'is not an account')
  return account
}

export const getHostDiff: HostHandler<typeof declared.getHostDiff> = {
  async act(ctx, { query }, signal) {
    const found: Found[] = []
    for await (const some of query.account_id === undefined ? all(ctx, signal) : one(ctx, query.account_id, signal)) {
      found.push(...some)
      if (found.length > maxShown) break
    }
    const items = found.slice(0, maxShown)
    return { differences: items.map(withoutText), diff: items.map(textOf).join(''), more: found.length > maxShown }
  },
}

const hostIn = ({ runtime }: Context): Host => ({ runtime, client: hostOf(runtime) })

/** What no account owns, then each account that is on the host. */
async function* all(ctx: Context, signal: AbortSignal): AsyncGenerator<Found[]> {
  const host = hostIn(ctx)
  const server = serverOf(host, getSetting(ctx.db, 'root_id')!)
  const state = await wantedState(ctx.runtime)
  yield [...(await host.client.diff({ server, ...(state && { state }) }, { signal }))]
  for (const id of appliedAccounts(ctx.db)) {
    const account = accountById(ctx.runtime.store.db, id)
    if (account) yield await ofAccount(host, account, signal)
  }
}

async function* one(ctx: Context, id: string, signal: AbortSignal): AsyncGenerator<Found[]> {
  yield await ofAccount(hostIn(ctx), named(ctx.db, id), signal)
}

async function ofAccount(host: Host, account: FullAccount, signal: AbortSignal): Promise<Found[]> {
  const found = await differencesOf(host, account, { signal })
  return found.map((difference) => ({ account_id: account.id, username: account.username, ...difference }))
}

const withoutText = ({ diff: _, ...difference }: Found): Omit<Found, 'diff'> => difference

const textOf = ({ path, change, note, diff }: Found): string =>
  diff ?? `# ${path}: ${change}${note ? `, ${note}` : ''}\n`
