import { eq } from 'drizzle-orm'
import { limitDefaults } from '../../shared/limit-defaults.ts'
import type { Db } from '../../store/open.ts'
import type { FullAccount } from '../accounts/store.ts'
import { packages } from '../packages/tables.ts'
import { type ScheduleRow, schedules } from './tables.ts'

/** The backup plan of an account: its own settings, else its package's, read on use. */
export interface BackupPlan {
  readonly every: NonNullable<ScheduleRow['every']>
  readonly keep: number
  readonly destination_id: string | null
  readonly max: number
}

export function planOf(db: Db, { id, package_id }: Pick<FullAccount, 'id' | 'package_id'>): BackupPlan {
  const plan = db.select().from(packages).where(eq(packages.id, package_id)).get()!
  const own = scheduleOf(db, id)
  return {
    every: own?.every ?? plan.backup_schedule,
    keep: own?.keep ?? plan.backup_keep,
    destination_id: own?.destination_id ?? null,
    max: plan.max_backups ?? limitDefaults.max_backups,
  }
}

export const scheduleOf = (db: Db, account: string): ScheduleRow | undefined =>
  db.select().from(schedules).where(eq(schedules.account_id, account)).get()

const fresh = { every: null, keep: null, destination_id: null, last_at: null }

export function setSchedule(db: Db, account_id: string, values: Partial<ScheduleRow>, now: number): void {
  db.insert(schedules)
    .values({ ...fresh, account_id, updated_at: now, ...values })
    .onConflictDoUpdate({ target: schedules.account_id, set: values })
    .run()
}
