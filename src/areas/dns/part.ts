import type { Runtime } from '../../runtime/runtime.ts'
import type { Challenge } from '../../shared/zone/text.ts'
import type { Db } from '../../store/open.ts'
import type { ZoneRow } from './tables.ts'

/** What an area hangs on a zone. */
export interface ZonePart {
  /** Texts that the zone answers with for a while; they are not records. */
  readonly challenges?: (db: Db, zone: ZoneRow) => readonly Challenge[]
}

declare module '../../runtime/area.ts' {
  interface Area {
    readonly ofZone?: ZonePart
  }
}

/** What hangs on zones, in the order of areas. */
export const zoneParts = ({ areas }: Pick<Runtime, 'areas'>): ZonePart[] => areas.flatMap(({ ofZone }) => ofZone ?? [])
