import { count } from '../format/format.ts'
import { hrefTo } from '../format/href.ts'
import type { ColumnStyle } from '../screen.ts'

/** The number of accounts that have it, with a link to them. */
export const accountsWith = (filter: 'package_id' | 'owner_id'): ColumnStyle => ({
  cell: ({ id, account_count }) => (
    <a href={hrefTo('/admin', '/accounts', {}, { [filter]: id })}>{count(account_count)}</a>
  ),
})
