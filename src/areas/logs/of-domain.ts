import { invalid } from '../../contract/problem.ts'
import { domainById } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import type { OfAccount } from '../files/of-account.ts'

/** The domain in a query; 400 if it is not the account's. */
export function domainIn({ db, found }: Pick<OfAccount, 'db' | 'found'>, id: string): DomainRow {
  const domain = domainById(db, id)
  if (domain?.account_id !== found.account.id) throw invalid('domain_id', 'is not a domain of this account')
  return domain
}
