import { zoneLines } from '../../shared/zone/text.ts'
import type { BackupPart } from '../accounts/part.ts'
import { recordsOf, saidBy, zonesOf } from './store.ts'
import type { ZoneRow } from './tables.ts'

/** What a zone's file does not say. The key that signs it stays sealed. */
const savedZone = ({ name, ttl, refresh, retry, expire, minimum, dnskey, private_key }: ZoneRow) => ({
  name,
  ttl,
  refresh,
  retry,
  expire,
  minimum,
  ...(dnskey === null ? {} : { dnskey, private_key }),
})

export const backup: BackupPart = {
  part: 'dns',
  save({ store: { db } }, { id }) {
    const zones = zonesOf.all(db, id)
    const textOf = (zone: ZoneRow) => `${zoneLines(zone, recordsOf(db, zone.id).map(saidBy)).join('\n')}\n`
    return {
      data: { zones: zones.map(savedZone) },
      texts: Object.fromEntries(zones.map((zone) => [`dns/${zone.name}.zone`, textOf(zone)])),
    }
  },
}
