import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { partsOf } from '../../accounts/objects/part.ts'
import { accountById } from '../../accounts/store.ts'
import { ips } from '../../ips/tables.ts'
import { domainParts } from '../part.ts'
import type { DomainRow } from '../tables.ts'
import { challengeNames, challengeValue } from './challenge.ts'
import type { Subject } from './look.ts'
import { verificationOf } from './store.ts'

/** A domain for a look, with what is this server's. */
export function subjectOf(runtime: Runtime, { name, account_id }: Pick<DomainRow, 'name' | 'account_id'>): Subject {
  const { db } = runtime.store
  const addresses = new Set(
    db
      .select({ address: ips.address })
      .from(ips)
      .all()
      .map(({ address }) => address),
  )
  return {
    name,
    challenge: challengeValue(db, account_id, name),
    challengeNames: challengeNames(name),
    challengeOnly: false,
    isElsewhere: false,
    nameservers: new Set([...nameserversOf(runtime, account_id), runtime.hostname.toLowerCase()]),
    nameserverAddresses: new Set([...addresses, ...secondariesOf(runtime, db)]),
    addresses,
  }
}

/** The subject of a domain that the account has. */
export function subjectOfDomain(runtime: Runtime, domain: DomainRow): Subject {
  const challengeOnly = verificationOf(runtime.store.db, domain)?.challenge_only ?? false
  return { ...subjectOf(runtime, domain), challengeOnly, isElsewhere: challengeOnly }
}

function nameserversOf(runtime: Runtime, account: string): string[] {
  const owner = accountById(runtime.store.db, account)?.owner_id
  const names = partsOf(runtime).flatMap(({ nameservers }) => (owner && nameservers?.(runtime.store.db, owner)) || [])
  return names.map((name) => name.toLowerCase())
}

const secondariesOf = (runtime: Runtime, db: Db): string[] =>
  domainParts(runtime).flatMap(({ nameserverAddresses }) => nameserverAddresses?.(db) ?? [])
