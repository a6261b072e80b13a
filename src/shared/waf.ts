/** The rules of the Core Rule Set that find attacks; those beside them count what was found. */
export const FIRST_WAF_RULE = 911_000
export const LAST_WAF_RULE = 944_999

export const MAX_PARANOIA = 3
export const MAX_WAF_EXCEPTIONS = 100

/** The name of a parameter that an exception is for. */
export const wafParameter = /^[A-Za-z0-9_.:[\]-]+$/
export const MAX_WAF_PARAMETER_LENGTH = 64

/** What was found at a domain is kept so long, and no more than so many rows. */
export const WAF_HIT_DAYS = 14
export const MAX_WAF_HITS = 10_000
/** Rows on a page. */
export const MAX_WAF_PAGE = 1000
