const hasCode = (reason: unknown, code: string): reason is Error =>
  reason instanceof Error && 'code' in reason && reason.code === code

/** The node was given up and will not come back. */
export const isGone = (reason: unknown): boolean => hasCode(reason, 'lost')

/** The node is unreachable. */
export const isUnreachable = (reason: unknown): reason is Error => hasCode(reason, 'unreachable') || isGone(reason)
