import { eq } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { previousSerials } from './tables.ts'

/** YYYYMMDD00 in UTC, the convention for zone serials. */
export const serialOfDay = (now: number): number =>
  Number(new Date(now).toISOString().slice(0, 10).replaceAll('-', '')) * 100

/** The serial after a change. */
export const nextSerial = (serial: number, now: number): number => Math.max(serial + 1, serialOfDay(now))

/** The highest serial of a deleted zone of a name: a new one must be higher. */
export const previousSerial = (db: Db, name: string): number =>
  db.select().from(previousSerials).where(eq(previousSerials.name, name)).get()?.serial ?? 0
