import { count } from './format.ts'
import { hrefTo } from './href.ts'
import type { Look } from './screen.ts'

/** How many accounts have it, and the way to them. */
export const accountsWith = (filter: 'package_id' | 'owner_id'): Look => ({
  cell: ({ id, account_count }) => (
    <a href={hrefTo('/admin', '/accounts', {}, { [filter]: id })}>{count(account_count)}</a>
  ),
})
