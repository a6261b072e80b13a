import type { Lookups } from '../../outgoing/lookups.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { accountById, addressesOfAccount } from '../accounts/store.ts'
import { mailLabelsOf, takesMail } from '../domains/mail-names.ts'
import type { DomainRow } from '../domains/tables.ts'

/** The names that mail programs of the domain use and that lead to its account's addresses alone. */
export async function localMailNames(runtime: Runtime, lookups: Lookups, domain: DomainRow): Promise<string[]> {
  const { db } = runtime.store
  const account = accountById(db, domain.account_id)
  if (!account || !takesMail(runtime, db, domain)) return []
  const own = addressesOfAccount(account)
  const names = mailLabelsOf(runtime, db, domain).map((label) => `${label}.${domain.name}`)
  const found = await Promise.all(names.map((name) => lookups.addresses(name).catch(() => [])))
  return names.filter((_, n) => found[n]!.length > 0 && found[n]!.every((address) => own.includes(address)))
}
