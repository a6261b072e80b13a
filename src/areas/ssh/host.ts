import { noShell } from '../../contract/accounts.ts'
import type { HostParts } from '../../host/contract/driver.ts'
import type { Db } from '../../store/open.ts'
import type { FullAccount } from '../accounts/store.ts'
import { isEnabled, keysOf } from './store.ts'

/** Whether the account's keys allow a login: the shell may have been removed after access was turned on. */
export const opens = (db: Db, { id, shell }: Pick<FullAccount, 'id' | 'shell'>): boolean =>
  shell !== noShell && isEnabled(db, id)

export const sshHost = (db: Db, account: FullAccount): HostParts['ssh'] => ({
  enabled: opens(db, account) && account.importing_since === null,
  keys: keysOf(db, account.id).map(({ type, blob }) => `${type} ${blob}`),
})
