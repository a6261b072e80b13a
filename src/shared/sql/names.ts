export const longestDatabase = 64
export const longestUser = 32

/** What the names of an account's databases and users begin with. */
export const prefixPattern = /^[a-z0-9]{1,8}_$/

/** A whole name. No database or user of the server itself has a prefix, so none of theirs can be reached. */
export const wholeName = /^[a-z0-9]{1,8}_[a-z0-9](?:[a-z0-9_]*[a-z0-9])?$/
