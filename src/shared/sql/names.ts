export const MAX_DATABASE_NAME_LENGTH = 64
export const MAX_USER_NAME_LENGTH = 32

/** The prefix of an account's database and user names. */
export const prefixPattern = /^[a-z0-9]{1,8}_$/

/** A full name. The server's own databases and users have no prefix, so none of them can match. */
export const NAME_PATTERN = /^[a-z0-9]{1,8}_[a-z0-9](?:[a-z0-9_]*[a-z0-9])?$/
