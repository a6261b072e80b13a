import type { AccountName, AccountState, Belongings, HostParts } from '../../../host/contract/driver.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { FullAccount } from '../store.ts'
import { partsOf } from './part.ts'

/** The desired state for a driver. */
export function stateOf(
  runtime: Pick<Runtime, 'areas' | 'hostname' | 'store' | 'unseal'>,
  account: FullAccount,
): AccountState {
  return {
    id: account.id,
    username: account.username,
    formerUsername: account.applied_username ?? undefined,
    uid: account.uid,
    mainDomain: account.main_domain,
    contactEmail: account.contact_email,
    ipAddress: account.ip_address,
    shell: account.shell,
    suspended: account.suspended_at !== null,
    parts: hostPartsOf(runtime, account),
  }
}

/** Each part of the host, from its area. */
function hostPartsOf(
  runtime: Pick<Runtime, 'areas' | 'hostname' | 'store' | 'unseal'>,
  account: FullAccount,
): HostParts {
  const states = partsOf(runtime).flatMap(({ host }) => Object.entries(host ?? {}))
  return Object.fromEntries(
    states.map(([part, state]) => [part, state(runtime.store.db, account, runtime)]),
  ) as unknown as HostParts
}

/** What is removed by name with an account. */
export function belongingsOf({ areas, store }: Pick<Runtime, 'areas' | 'store'>, id: string): Belongings {
  const listed = partsOf({ areas }).flatMap(({ belongings }) => belongings?.(store.db, id) ?? [])
  return { databases: [], databaseUsers: [], ...Object.assign({}, ...listed) }
}

type NamedAccount = Pick<FullAccount, 'id' | 'username' | 'applied_username' | 'uid' | 'main_domain'>

/** The account with its current name on the host. */
export const hostNameOf = (account: NamedAccount): AccountName => ({
  id: account.id,
  username: account.applied_username ?? account.username,
  uid: account.uid,
  mainDomain: account.main_domain,
})
