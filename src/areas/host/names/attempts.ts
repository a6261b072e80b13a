import { getSetting, setSetting } from '../../../runtime/settings/settings.ts'
import { localNode } from '../../../shared/node-name.ts'
import { hour } from '../../../shared/time.ts'
import type { Db } from '../../../store/open.ts'

/** The last attempts to get a certificate, if they failed. */
export interface Attempts {
  /** Consecutive failures for these names. */
  readonly failures: number
  readonly names: string
  readonly error: string
  readonly next_attempt_at: number
}

declare module '../../../runtime/settings/settings.ts' {
  interface Settings {
    server_certificate_failed: Attempts | null
    /** For other nodes, by node. */
    node_certificates_failed: Record<string, Attempts>
  }
}

export const attemptsOf = (db: Db, node: string): Attempts | undefined =>
  node === localNode
    ? (getSetting(db, 'server_certificate_failed') ?? undefined)
    : getSetting(db, 'node_certificates_failed')?.[node]

function setAttempts(db: Db, node: string, attempts: Attempts | undefined): void {
  if (node === localNode) return setSetting(db, 'server_certificate_failed', attempts ?? null)
  const { [node]: _, ...rest } = getSetting(db, 'node_certificates_failed') ?? {}
  setSetting(db, 'node_certificates_failed', attempts ? { ...rest, [node]: attempts } : rest)
}

/** The delays after consecutive failures. */
const ladder = [1, 4, 12, 24].map((hours) => hours * hour)

export function noteFailed(db: Db, node: string, failed: Pick<Attempts, 'names' | 'error'>, now: number): void {
  const failures = (attemptsOf(db, node)?.failures ?? 0) + 1
  const next_attempt_at = now + ladder[Math.min(failures, ladder.length) - 1]!
  setAttempts(db, node, { ...failed, failures, next_attempt_at })
}

/** Allows the next attempt immediately. */
export const forgetFailures = (db: Db, node: string): void => setAttempts(db, node, undefined)

/** For all machines. */
export function forgetAllFailures(db: Db): void {
  setSetting(db, 'server_certificate_failed', null)
  setSetting(db, 'node_certificates_failed', {})
}
