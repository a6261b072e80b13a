import { getServers } from 'node:dns'
import { networkInterfaces } from 'node:os'
import { and, eq, gt, isNotNull, isNull } from 'drizzle-orm'
import { getSetting } from '../../runtime/settings/settings.ts'
import { networkIn, overlaps } from '../../shared/networks.ts'
import { day } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { peers } from '../dns/peers/tables.ts'
import { ips } from '../ips/tables.ts'
import { nodes } from '../nodes/tables.ts'
import { sessions } from '../sessions/tables.ts'

const LOOPBACK = ['127.0.0.0/8', '::1']

/** Addresses and networks that are never banned: those of the servers and of their name servers, and those that root allows. */
export function neverBanned(db: Db): string[] {
  return [
    ...LOOPBACK,
    ...Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)),
    ...getServers().map(withoutPort),
    ...db
      .select({ address: ips.address })
      .from(ips)
      .all()
      .map(({ address }) => address),
    ...db
      .select({ addresses: nodes.addresses })
      .from(nodes)
      .all()
      .flatMap(({ addresses }) => addresses),
    ...db
      .select({ addresses: peers.addresses })
      .from(peers)
      .all()
      .flatMap(({ addresses }) => addresses),
    ...(getSetting(db, 'ban_allow') ?? []),
  ].filter((text) => networkIn(text) !== undefined)
}

const withoutPort = (server: string): string =>
  /^\[([^\]]+)\]/.exec(server)?.[1] ?? server.replace(/^([\d.]+):\d+$/, '$1')

/** More are not kept apart: an administrator's addresses are few. */
const MAX_ADMINISTRATORS = 1000

/** Where root and resellers have been signed in within a day: failures from there are slowed, but ban none. */
export const administrators = (db: Db, now: number): string[] =>
  db
    .selectDistinct({ address: sessions.address })
    .from(sessions)
    .where(
      and(
        eq(sessions.panel, 'admin'),
        eq(sessions.via, 'panel'),
        eq(sessions.mfa_pending, false),
        isNull(sessions.acting_as_id),
        isNotNull(sessions.address),
        gt(sessions.last_seen_at, now - day),
      ),
    )
    .limit(MAX_ADMINISTRATORS)
    .all()
    .flatMap(({ address }) => address ?? [])

/** Whether a ban of the network would hit one of these. */
export function isAmong(ranges: readonly string[], banned: string): boolean {
  const network = networkIn(banned)
  return (
    network === undefined ||
    ranges.some((text) => {
      const range = networkIn(text)
      return range !== undefined && overlaps(range, network)
    })
  )
}
