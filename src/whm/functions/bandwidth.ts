import type { Call, WhmFunction } from '../function.ts'
import type { AccountRecord } from '../rows.ts'
import { accountsOf } from './accounts.ts'

const megabyte = 1024 * 1024

export const showbw: WhmFunction = {
  name: 'showbw',
  needs: ['listAccounts'],
  shape: { list: 'bandwidth' },
  async run(call) {
    const accounts = exactFirst(await accountsOf(call), call)
    const acct = accounts.map(bandwidthRow)
    const now = new Date(call.session.now)
    const totalused = acct.reduce((sum, { totalbytes }) => sum + totalbytes, 0)
    return {
      data: { acct, month: now.getUTCMonth() + 1, year: now.getUTCFullYear(), reseller: call.session.user, totalused },
    }
  },
}

/** Some clients use the first match. */
function exactFirst(accounts: AccountRecord[], { parameters }: Call): AccountRecord[] {
  const search = parameters.text('search')?.toLowerCase()
  return accounts.toSorted((a, b) => Number(b.username === search) - Number(a.username === search))
}

/** In bytes, for this month. */
const bandwidthRow = (account: AccountRecord) => ({
  user: account.username,
  maindomain: account.main_domain,
  owner: account.owner_name,
  reseller: account.is_reseller ? 1 : 0,
  deleted: 0,
  limit: (account.bw_limit_mb ?? 0) * megabyte,
  bwlimited: account.bw_limit_mb === undefined ? 0 : 1,
  totalbytes: account.bw_used_month_mb * megabyte,
  bwusage: [],
})
