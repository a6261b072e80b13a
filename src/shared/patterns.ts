/** A ULID: 26 characters of Crockford's base 32, of which the first is at most 7. */
export const ulid = '[0-7][0-9A-HJKMNP-TV-Z]{25}'

/** One label of a host name, in its ASCII form. */
export const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'

/** What DNS takes. */
export const longestName = 253

/** What is put around a domain must fit too: `hostmaster.` into a name of DNS, endings into 255 characters of a file's. */
export const longestDomain = 230

/** Of a wildcard the files' names begin with a word instead of the star. */
export const longestWildcard = 220
