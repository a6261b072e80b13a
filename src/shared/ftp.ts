/** A login's name before the `@`; no consecutive dots. */
export const loginName = '(?![^@]*\\.\\.)[a-z0-9](?:[a-z0-9._-]{0,30}[a-z0-9])?'

export const MAX_DIRECTORY_LENGTH = 255

const part = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}'

/** `/` for the home itself, or up to 16 parts below it; not mail and temporary files. */
export const loginDirectory = new RegExp(`^(?:/|(?!(?:mail|tmp)(?:/|$))${part}(?:/${part}){0,15})$`)
