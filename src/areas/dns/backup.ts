import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { zoneLines } from '../../shared/zone/text.ts'
import type { BackupPart, RestoredFrom } from '../accounts/objects/part.ts'
import { type FullAccount, nameOf } from '../accounts/store.ts'
import { isOfOthers } from '../domains/backup.ts'
import { changeZone } from './change.ts'
import { displacedBy } from './displaced.ts'
import { editOf } from './import.ts'
import { raiseSerial } from './save-zone.ts'
import { outputOf, recordsOf, zonesOf } from './store.ts'
import type { ZoneRow } from './tables.ts'

interface SavedZone extends Pick<ZoneRow, 'name' | 'ttl' | 'refresh' | 'retry' | 'expire' | 'minimum'> {
  /** The records managed by the panel, by name and type. */
  readonly managed: readonly string[]
}

const named = ({ name, type }: { readonly name: string; readonly type: string }): string => `${name} ${type}`

/** What a zone file does not contain. The signing key stays encrypted. */
const savedZone = (zone: ZoneRow, managed: readonly string[]) => {
  const { name, ttl, refresh, retry, expire, minimum, dnskey, private_key } = zone
  return {
    name,
    ttl,
    refresh,
    retry,
    expire,
    minimum,
    managed,
    ...(dnskey === null ? {} : { dnskey, private_key }),
  }
}

const fileOf = (name: string): string => `dns/${name}.zone`

/** Replaces the customer's records by those in the file; managed records without an alias in it, and signing, stay. */
function restore(
  ctx: Context,
  account: FullAccount,
  { account: former, data, texts }: RestoredFrom,
): readonly string[] {
  const zones = zonesOf.all(ctx.db, account.id)
  const left: string[] = []
  for (const saved of (data as { zones: readonly SavedZone[] }).zones) {
    const name = saved.name === former.domain ? account.main_domain : saved.name
    const zone = zones.find((one) => one.name === name)
    if (!zone && isOfOthers(ctx, account, former, name)) {
      left.push(`${name}: its zone was left out, since another account has it`)
      continue
    }
    if (!zone) throw new Problem('not-found', `The account has no zone ${name}; restore the part config with it.`)
    restoreZone(ctx, account, zone, saved, { text: texts[fileOf(saved.name)]!, isOther: former.id !== account.id })
  }
  return left
}

interface ZoneFile {
  readonly text: string
  /** The backup is another account's: managed records in it were for that one. */
  readonly isOther: boolean
}

function restoreZone(
  ctx: Context,
  account: FullAccount,
  zone: ZoneRow,
  saved: SavedZone,
  { text, isOther }: ZoneFile,
): void {
  const { ttl, refresh, retry, expire, minimum } = saved
  const times = { ttl, refresh, retry, expire, minimum }
  const differs = (Object.keys(times) as (keyof typeof times)[]).some((name) => times[name] !== zone[name])
  const now = differs ? raiseSerial(ctx, zone, account.owner_id, times) : zone
  const there = recordsOf(ctx.db, zone.id)
  const { edit } = editOf(renamed(text, saved.name, zone.name), now, there)
  const creates = edit.creates.filter(({ record }) => !isOther || !saved.managed.includes(named(record)))
  const problemOf = ({ field, message }: { field: string; message: string }) =>
    invalid(field, `${zone.name}: ${message}`)
  const isAlias = (name: string) => creates.some(({ record }) => record.name === name && record.type === 'CNAME')
  const restored = { ...edit, creates, deletes: edit.deletes.filter((row) => !row.managed || isAlias(row.name)) }
  const deletes = [...restored.deletes, ...displacedBy(there, restored)]
  changeZone(ctx, nameOf(account), now, { ...restored, deletes }, { serial: undefined, toProblem: problemOf })
}

/** Maps names in a renamed zone to the new zone. */
const renamed = (text: string, from: string, to: string): string =>
  from === to
    ? text
    : text.replaceAll(new RegExp(`(?<=^|[\\s.])${from.replaceAll('.', '\\.')}\\.(?=\\s|$)`, 'gm'), `${to}.`)

export const backup: BackupPart = {
  part: 'dns',
  feature: 'zone_edit',
  save({ store: { db } }, { id }) {
    const zones = zonesOf.all(db, id)
    const managedIn = (zone: ZoneRow) => recordsOf(db, zone.id).flatMap((row) => (row.managed ? named(row) : []))
    const textOf = (zone: ZoneRow) => `${zoneLines(zone, recordsOf(db, zone.id).map(outputOf)).join('\n')}\n`
    return {
      data: { zones: zones.map((zone) => savedZone(zone, managedIn(zone))) },
      texts: Object.fromEntries(zones.map((zone) => [fileOf(zone.name), textOf(zone)])),
    }
  },
  restore,
}
