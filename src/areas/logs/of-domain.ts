import { invalid } from '../../contract/problem.ts'
import { domainById } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import type { OfAccount } from '../files/of-account.ts'

/** The domain that a query names; 400 for one that the account does not have. */
export function domainIn({ db, found }: Pick<OfAccount, 'db' | 'found'>, id: string): DomainRow {
  const domain = domainById(db, id)
  if (domain?.account_id !== found.account.id) throw invalid('domain_id', 'is not a domain of this account')
  return domain
}
