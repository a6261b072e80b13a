/** What became of a message for a recipient. */
export const traceOutcomes = [
  'delivered',
  'deferred',
  'bounced',
  'rejected',
  'spam',
  'discarded',
  'forwarded',
  'queued',
] as const

/** Rows on a page. */
export const MAX_TRACED = 500
