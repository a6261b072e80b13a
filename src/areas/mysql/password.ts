import { createHash } from 'node:crypto'

export const purpose = 'database password'

const sha1 = (bytes: string | Buffer): Buffer => createHash('sha1').update(bytes).digest()

/** The hash format of mysql_native_password. */
export const nativeHash = (password: string): string => `*${sha1(sha1(password)).toString('hex').toUpperCase()}`
