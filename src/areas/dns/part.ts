import type { HostArea } from '../../host/contract/driver.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import type { Challenge } from '../../shared/zone/text.ts'
import type { Db } from '../../store/open.ts'
import type { ZoneRow } from './tables.ts'

/** What identifies a zone. */
export type ZoneOf = Pick<ZoneRow, 'name' | 'account_id' | 'domain_id'>

/** How an area extends zones. */
export interface ZonePart {
  /** Texts that the zone serves temporarily; they are not records. */
  readonly challenges?: (db: Db, zone: ZoneRow) => readonly Challenge[]
  /** Records that it starts with, and that a reset restores. */
  readonly records?: (db: Db, zone: ZoneOf) => readonly ZoneRecord[]
  /** Other host areas that a change of the zone affects; called inside that change. */
  readonly applies?: (ctx: Pick<Context, 'store' | 'db' | 'runtime'>, zone: ZoneRow) => readonly HostArea[]
}

declare module '../../runtime/areas/area.ts' {
  interface Area {
    readonly ofZone?: ZonePart
  }
}

/** The areas' zone parts, in the order of areas. */
export const zoneParts = ({ areas }: Pick<Runtime, 'areas'>): ZonePart[] => areas.flatMap(({ ofZone }) => ofZone ?? [])
