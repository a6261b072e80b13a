import { eq } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { pastSerials } from './tables.ts'

/** YYYYMMDD00 in UTC, as zone serials are written. */
export const serialOfDay = (now: number): number =>
  Number(new Date(now).toISOString().slice(0, 10).replaceAll('-', '')) * 100

/** The serial after a change. */
export const nextSerial = (serial: number, now: number): number => Math.max(serial + 1, serialOfDay(now))

/** The highest serial that a former zone of a name had: a new one must have a higher. */
export const pastSerial = (db: Db, name: string): number =>
  db.select().from(pastSerials).where(eq(pastSerials.name, name)).get()?.serial ?? 0
