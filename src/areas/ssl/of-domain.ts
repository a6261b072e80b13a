import { invalid } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { domainById } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'

/** The account's domain in a body; 400 if it does not exist. */
export function domainOf({ db }: Context, account: FoundAccount, id: string): DomainRow {
  const domain = domainById(db, id)
  if (domain?.account_id !== account.id) throw invalid('domain_id', 'is not a domain of the account')
  return domain
}
