import { asc, eq } from 'drizzle-orm'
import type { ServedDifference } from '../../../host/contract/driver.ts'
import type { LinkedHost } from '../../../host/nodes/fleet/fleet.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { accountById } from '../../accounts/store.ts'
import { batchesOf } from './batches.ts'
import { pending } from './serve.ts'
import { type ServedRow, served } from './tables.ts'

/** How a node's name server differs in the zones of other nodes' accounts: of all, or of one account. */
export async function* servedDifferences(
  runtime: Runtime,
  [node, host]: LinkedHost,
  { account, signal }: { readonly account?: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<readonly ServedDifference[]> {
  const rows = rowsOf(runtime, node).filter((row) => isCompared(runtime, row, account))
  for (const batch of batchesOf(pending(runtime, rows)))
    yield host.diffZones({ served: batch.map(({ id, zones }) => ({ id, zones })) }, { signal })
}

const rowsOf = ({ store }: Runtime, node: string): ServedRow[] =>
  store.db.select().from(served).where(eq(served.node, node)).orderBy(asc(served.account_id)).all()

/** Leaves out accounts that a job is about to create or terminate. */
function isCompared({ store }: Runtime, { account_id }: ServedRow, only: string | undefined): boolean {
  if (only !== undefined && account_id !== only) return false
  const account = accountById(store.db, account_id)
  return !account || (account.provisioned && !account.terminating)
}

/** The nodes whose name servers answer for an account on another node. */
export const serversOf = ({ store }: Runtime, account: string): string[] =>
  store.db
    .select({ node: served.node })
    .from(served)
    .where(eq(served.account_id, account))
    .all()
    .map(({ node }) => node)
