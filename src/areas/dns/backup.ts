import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import { zoneLines } from '../../shared/zone/text.ts'
import type { BackupPart, RestoredFrom } from '../accounts/part.ts'
import { type FullAccount, nameOf } from '../accounts/store.ts'
import { changeZone } from './change.ts'
import { editOf } from './import.ts'
import { recordsOf, saidBy, zonesOf } from './store.ts'
import type { ZoneRow } from './tables.ts'
import { raiseSerial } from './write.ts'

type SavedZone = Pick<ZoneRow, 'name' | 'ttl' | 'refresh' | 'retry' | 'expire' | 'minimum'>

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

const fileOf = (name: string): string => `dns/${name}.zone`

/** The customer's records become those of the file; what the panel manages, and how a zone is signed, stays as it is. */
function restore(ctx: Context, account: FullAccount, { account: former, data, texts }: RestoredFrom): void {
  const zones = zonesOf.all(ctx.db, account.id)
  for (const saved of (data as { zones: readonly SavedZone[] }).zones) {
    const name = saved.name === former.domain ? account.main_domain : saved.name
    const zone = zones.find((one) => one.name === name)
    if (!zone) throw new Problem('not-found', `The account has no zone ${name}; restore the part config with it.`)
    restoreZone(ctx, account, zone, saved, texts[fileOf(saved.name)]!)
  }
}

function restoreZone(ctx: Context, account: FullAccount, zone: ZoneRow, saved: SavedZone, text: string): void {
  const { ttl, refresh, retry, expire, minimum } = saved
  const times = { ttl, refresh, retry, expire, minimum }
  const differs = (Object.keys(times) as (keyof typeof times)[]).some((name) => times[name] !== zone[name])
  const now = differs ? raiseSerial(ctx, zone, account.owner_id, times) : zone
  const { edit } = editOf(text, now, recordsOf(ctx.db, zone.id), saved.name)
  const told = ({ field, message }: { field: string; message: string }) => invalid(field, `${zone.name}: ${message}`)
  const deletes = edit.deletes.filter(({ managed }) => !managed)
  changeZone(ctx, nameOf(account), now, { ...edit, deletes }, { serial: undefined, told })
}

export const backup: BackupPart = {
  part: 'dns',
  save({ store: { db } }, { id }) {
    const zones = zonesOf.all(db, id)
    const textOf = (zone: ZoneRow) => `${zoneLines(zone, recordsOf(db, zone.id).map(saidBy)).join('\n')}\n`
    return {
      data: { zones: zones.map(savedZone) },
      texts: Object.fromEntries(zones.map((zone) => [fileOf(zone.name), textOf(zone)])),
    }
  },
  restore,
}
