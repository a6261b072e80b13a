import type { HostArea } from '../../host/driver.ts'
import type { Context } from '../../runtime/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import type { Challenge } from '../../shared/zone/text.ts'
import type { Db } from '../../store/open.ts'
import type { ZoneRow } from './tables.ts'

/** What tells a zone's place. */
export type ZoneOf = Pick<ZoneRow, 'name' | 'account_id' | 'domain_id'>

/** What an area hangs on a zone. */
export interface ZonePart {
  /** Texts that the zone answers with for a while; they are not records. */
  readonly challenges?: (db: Db, zone: ZoneRow) => readonly Challenge[]
  /** Records that it begins with, and comes back to by a reset. */
  readonly records?: (db: Db, zone: ZoneOf) => readonly ZoneRecord[]
  /** What else of the host a change of the zone changes; inside that change. */
  readonly applies?: (ctx: Pick<Context, 'store' | 'db' | 'runtime'>, zone: ZoneRow) => readonly HostArea[]
}

declare module '../../runtime/area.ts' {
  interface Area {
    readonly ofZone?: ZonePart
  }
}

/** What hangs on zones, in the order of areas. */
export const zoneParts = ({ areas }: Pick<Runtime, 'areas'>): ZonePart[] => areas.flatMap(({ ofZone }) => ofZone ?? [])
