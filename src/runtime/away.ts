const hasCode = (reason: unknown, code: string): reason is Error =>
  reason instanceof Error && 'code' in reason && reason.code === code

/** The node that is asked never answers again. */
export const isLost = (reason: unknown): boolean => hasCode(reason, 'lost')

/** The node that is asked is not connected. */
export const isAway = (reason: unknown): reason is Error => hasCode(reason, 'away') || isLost(reason)
