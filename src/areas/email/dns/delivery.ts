import { eq } from 'drizzle-orm'
import ipaddr from 'ipaddr.js'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { localNode } from '../../../shared/node-name.ts'
import type { Db } from '../../../store/open.ts'
import { accountById } from '../../accounts/store.ts'
import { ips } from '../../ips/tables.ts'
import { addressesOf } from '../../nodes/addresses.ts'
import { nodeByName } from '../../nodes/store.ts'
import type { Mail } from '../domains/view.ts'
import { mtaStsOf, recordValue } from '../mta-sts/policy.ts'
import type { DesiredRecord, RecordContext } from './desired.ts'

declare module '../../../runtime/settings/settings.ts' {
  interface Settings {
    /** Zones that list addresses which send spam. */
    blocklists: readonly string[]
  }
}

export const deliverySettings = { blocklists: [] as readonly string[] }

/** The name at which an address is looked up, below `in-addr.arpa` or a blocklist. */
function reversed(address: string): string {
  const parsed = ipaddr.parse(address)
  if (parsed.kind() === 'ipv4') return address.split('.').toReversed().join('.')
  const digits = (parsed as ipaddr.IPv6).parts.map((part) => part.toString(16).padStart(4, '0')).join('')
  return [...digits].toReversed().join('.')
}

const reverseName = (address: string): string =>
  `${reversed(address)}.${address.includes(':') ? 'ip6' : 'in-addr'}.arpa`

/** The machine that sends the account's mail, by its own name and addresses. */
function senderOf({ db, runtime }: RecordContext, accountId: string) {
  const { node } = accountById(db, accountId)!
  if (node === localNode) return { hostname: runtime.hostname.toLowerCase(), addresses: mainAddresses(db) }
  const hostname = nodeByName(db, node)?.hostname ?? runtime.hostname
  return { hostname: hostname.toLowerCase(), addresses: addressesOf(db, node).map(({ address }) => address) }
}

const mainAddresses = (db: Db): string[] =>
  db
    .select({ address: ips.address })
    .from(ips)
    .where(eq(ips.main, true))
    .all()
    .map(({ address }) => address)

/** What receivers look at besides the records that mail cannot do without. */
export function deliveryRecords(of: RecordContext, { domain }: Mail): DesiredRecord[] {
  const { hostname, addresses } = senderOf(of, domain.account_id)
  const policy = mtaStsOf(of.db, domain.id)
  const lists = getSetting(of.db, 'blocklists') ?? deliverySettings.blocklists
  return [
    ...addresses.map((address) => ({ kind: 'ptr' as const, name: reverseName(address), wanted: hostname, address })),
    ...addresses.map((address) => ({ kind: 'helo' as const, name: hostname, wanted: address })),
    { kind: 'mta_sts', name: `_mta-sts.${domain.name}`, ...(policy && { wanted: recordValue(policy) }) },
    {
      kind: 'tls_rpt',
      name: `_smtp._tls.${domain.name}`,
      wanted: `v=TLSRPTv1; rua=mailto:postmaster@${domain.name}`,
    },
    ...addresses.flatMap((address) =>
      lists.map((list) => ({ kind: 'blocklist' as const, name: `${reversed(address)}.${list}` })),
    ),
  ]
}
