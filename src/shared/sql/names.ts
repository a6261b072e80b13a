export const longestDatabase = 64
export const longestUser = 32

/** The prefix of an account's database and user names. */
export const prefixPattern = /^[a-z0-9]{1,8}_$/

/** A full name. The server's own databases and users have no prefix, so none of them can match. */
export const wholeName = /^[a-z0-9]{1,8}_[a-z0-9](?:[a-z0-9_]*[a-z0-9])?$/
