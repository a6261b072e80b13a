/** A login's name before the `@`; no dots follow each other. */
export const loginName = '(?![^@]*\\.\\.)[a-z0-9](?:[a-z0-9._-]{0,30}[a-z0-9])?'

export const longestDirectory = 255

const part = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}'

/** `/` for the home itself, else up to 16 parts below it; mail and temporary files are out of reach. */
export const loginDirectory = new RegExp(`^(?:/|(?!(?:mail|tmp)(?:/|$))${part}(?:/${part}){0,15})$`)
