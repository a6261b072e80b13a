import type { Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { accountById } from '../accounts/store.ts'
import { isWithin, relative } from './names.ts'
import { raiseSerial } from './save-zone.ts'
import { outputOf, recordsOf, zoneById, zonesOf } from './store.ts'
import type { ZoneRow } from './tables.ts'
import { ZoneIndex } from './zone-index.ts'

/** The account's zone that is authoritative for a name. */
export const zoneHolding = (db: Db, accountId: string, name: string): ZoneRow | undefined =>
  zonesOf
    .all(db, accountId)
    .filter((zone) => isWithin(name, zone.name))
    .sort((one, other) => other.name.length - one.name.length)[0]

/** The name at which a certificate authority looks for a proof, relative to the zone. */
export const challengeName = (domain: string, zone: ZoneRow): string => relative(`_acme-challenge.${domain}`, zone.name)

/** Why the zone cannot serve a challenge at a name, undefined if it can. */
export function challengeProblem(db: Db, zone: ZoneRow, name: string): string | undefined {
  const index = new ZoneIndex(recordsOf(db, zone.id).map(outputOf))
  const cut = index.cut(name)
  if (cut !== undefined) return `${cut}.${zone.name} is handed over to other name servers`
  const alias = index.at(name).some(({ type }) => type === 'CNAME')
  return alias ? `${name}.${zone.name} has a CNAME record, beside which nothing else can stand` : undefined
}

/** Raises the zone's serial after its challenges changed. */
export function challengesChanged(ctx: Pick<Context, 'store' | 'db' | 'runtime' | 'now'>, zoneId: string): void {
  const zone = zoneById(ctx.db, zoneId)
  const account = zone && accountById(ctx.db, zone.account_id)
  if (account) raiseSerial(ctx, zone, account.owner_id)
}
