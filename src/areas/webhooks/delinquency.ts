import type { AttemptError } from '../../contract/webhooks.ts'
import { minuteText } from '../../shared/time.ts'

/** Consecutive failed attempts that disable a webhook (contract: Limits). */
export const MAX_CONSECUTIVE_FAILURES = 50
const firstRest = 50
const MAX_REASON_LENGTH = 1000

/** A webhook's consecutive failures, and whether they disabled it. */
export interface FailureStreak {
  readonly enabled: boolean
  readonly consecutive_failures: number
  readonly failing_since: number | null
  readonly disabled_reason: string | null
}

export interface Attempted {
  readonly at: number
  readonly http_status?: number | undefined
  readonly error?: AttemptError | undefined
}

/** The streak after an attempt. Attempts do not count while the webhook is off. */
export function nextStreak(record: FailureStreak, attempt: Attempted): FailureStreak {
  if (!record.enabled) return record
  if (attempt.error === undefined) return record.consecutive_failures === 0 ? record : clean
  const consecutive_failures = record.consecutive_failures + 1
  const failing_since = record.failing_since ?? attempt.at
  const failing = { ...record, consecutive_failures, failing_since }
  if (consecutive_failures < MAX_CONSECUTIVE_FAILURES) return failing
  return { ...failing, enabled: false, disabled_reason: reasonOf(failing_since, attempt) }
}

/** Enabled, without failures. */
export const clean: FailureStreak = {
  enabled: true,
  consecutive_failures: 0,
  failing_since: null,
  disabled_reason: null,
}

const causes: Readonly<Record<AttemptError, string>> = {
  timeout: 'no answer within 10 seconds',
  dns: 'its name could not be resolved',
  connect: 'the connection failed',
  tls: 'the TLS connection failed',
  'blocked-address': 'its address is not allowed',
  answer: 'its answer was not understood',
  redirect: 'it answered with a redirect, which is not followed: set the URL that it leads to',
  status: 'it answered with an error',
  interrupted: 'the server stopped during the attempt',
}

const reasonOf = (since: number, { error, http_status }: Attempted): string =>
  `${MAX_CONSECUTIVE_FAILURES} attempts in a row have failed since ${minuteText(since)}; the last: ${causes[error!]}${
    http_status === undefined ? '' : ` (HTTP ${http_status})`
  }.`

/** How long a failing webhook rests after an attempt, in milliseconds: 50 failures take less than a minute. */
export const restAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(MAX_REASON_LENGTH, firstRest * 2 ** (failures - 1))
