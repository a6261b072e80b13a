import type { Db } from '../../store/open.ts'
import { accountById } from '../accounts/store.ts'
import { domainById } from '../domains/store.ts'
import { isVerified } from '../domains/verification/store.ts'
import { addressOf } from './address.ts'
import { emailDomainsOf } from './domains/store.ts'
import { forwardersOf } from './forwarders/store.ts'
import { mailboxesOf } from './mailboxes/store.ts'
import type { ForwardRoute, Routes } from './routes.ts'

const stays = ({ status }: { readonly status: string }): boolean => status !== 'deleting'

/** Overrides by a change that is being checked. */
export interface Instead {
  readonly forwarders?: ReadonlyMap<string, ForwardRoute | undefined>
  readonly mailboxes?: ReadonlyMap<string, false>
  readonly catchAlls?: ReadonlyMap<string, string>
}

/** The names of an account's domains whose mail comes here, or will once they are verified. */
export const mailDomainsOf = (db: Db, account: string): string[] =>
  emailDomainsOf(db, account)
    .filter(({ routing }) => routing === 'auto' || routing === 'local')
    .flatMap(({ domain_id, told_routing }) => {
      const domain = domainById(db, domain_id)
      return domain && (told_routing === 'local' || !isVerified(db, domain)) ? [domain.name] : []
    })

/** An account's mail routes, with the change being checked. */
export function routesOf(db: Db, account: string, instead: Instead = {}): Routes {
  const { username, main_domain } = accountById(db, account)!
  const forwarders = new Map<string, ForwardRoute>(
    forwardersOf
      .all(db, account)
      .filter(stays)
      .map((row) => [addressOf(db, row), { destinations: row.destinations, keepCopy: row.keep_copy }]),
  )
  for (const [address, route] of instead.forwarders ?? []) {
    if (route) forwarders.set(address, route)
    else forwarders.delete(address)
  }
  const rows = mailboxesOf.all(db, account).filter(stays)
  const mailboxes = new Set(rows.map((row) => addressOf(db, row)))
  for (const address of instead.mailboxes?.keys() ?? []) mailboxes.delete(address)
  mailboxes.add(`${username}@${main_domain}`)
  const all = emailDomainsOf(db, account).flatMap(({ domain_id, catch_all }): [string, string][] =>
    catch_all === null ? [] : [[domainById(db, domain_id)!.name, catch_all]],
  )
  return { forwarders, mailboxes, catchAlls: new Map([...all, ...(instead.catchAlls ?? [])]) }
}
