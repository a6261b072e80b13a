import { getSetting, setSetting } from '../../../runtime/settings.ts'
import { hour } from '../../../shared/time.ts'
import type { Db } from '../../../store/open.ts'

/** What became of the last attempts to have a certificate issued, where they failed. */
export interface Attempts {
  /** For these names, one after the other. */
  readonly failures: number
  readonly names: string
  readonly error: string
  readonly next_attempt_at: number
}

declare module '../../../runtime/settings.ts' {
  interface Settings {
    server_certificate_failed: Attempts | null
  }
}

const name = 'server_certificate_failed'

export const attemptsOf = (db: Db): Attempts | undefined => getSetting(db, name) ?? undefined

/** How long after one failure the next attempt is made. */
const ladder = [1, 4, 12, 24].map((hours) => hours * hour)

export function noteFailed(db: Db, names: string, error: string, now: number): void {
  const failures = (attemptsOf(db)?.failures ?? 0) + 1
  const next_attempt_at = now + ladder[Math.min(failures, ladder.length) - 1]!
  setSetting(db, name, { failures, names, error, next_attempt_at })
}

/** The next attempt is made at once. */
export const forgetFailures = (db: Db): void => setSetting(db, name, null)
