import type { Order } from '../../host/client.ts'
import type { Db } from '../../store/open.ts'
import type { AccountRow } from './tables.ts'

/** How new the desired state of an account is, for the host to tell a newer one from an older. */
export const orderOf = (_db: Db, _account: AccountRow): Order => ({ epoch: 1, generation: 1 })
