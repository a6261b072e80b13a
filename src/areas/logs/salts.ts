import { randomBytes } from 'node:crypto'
import { asc, lt } from 'drizzle-orm'
import type { VisitsRequest } from '../../host/contract/driver.ts'
import type { Db, Store } from '../../store/open.ts'
import { daysBefore } from './days.ts'
import { visitorSalts } from './tables.ts'

/** Log lines of a day may arrive this much later. */
export const daysOpen = 2
/** Logs are kept this long. */
const MAX_SALT_DAYS = 30

export const saltsIn = (db: Db): VisitsRequest['salts'] =>
  db.select().from(visitorSalts).orderBy(asc(visitorSalts.day)).all()

/** Adds a salt for each day since the last; initially only for today and the open days. */
export async function makeSalts({ db, change }: Store, today: string): Promise<void> {
  const newest = saltsIn(db).at(-1)?.day ?? daysBefore(today, daysOpen)
  if (newest >= today) return
  const oldest = daysBefore(today, MAX_SALT_DAYS)
  const made: string[] = []
  for (let day = today; day > newest && day >= oldest; day = daysBefore(day, 1)) made.push(day)
  await change(
    () =>
      void db
        .insert(visitorSalts)
        .values(made.map((day) => ({ day, salt: salt() })))
        .run(),
  )
}

const salt = (): string => randomBytes(16).toString('hex')

/** Inside a change. */
export const forgetSalts = (db: Db, before: string): void =>
  void db.delete(visitorSalts).where(lt(visitorSalts.day, before)).run()
