import { day, hour } from '../../shared/time.ts'

/** In UTC. */
export const defaultHour = 2

/** The last due time: each day, or each Sunday, at the configured hour. */
export function lastDue(now: number, at: number, rhythm: 'daily' | 'weekly'): number {
  const today = Math.floor((now - at * hour) / day) * day + at * hour
  return rhythm === 'daily' ? today : today - new Date(today).getUTCDay() * day
}
