import type { Context } from '../../runtime/operations/context.ts'
import { MAX_DATABASE_NAME_LENGTH, MAX_USER_NAME_LENGTH, NAME_PATTERN } from '../../shared/sql/names.ts'
import { accountById } from '../accounts/store.ts'

export const prefixOf = ({ db }: Pick<Context, 'db'>, account: string): string => accountById(db, account)!.db_prefix

const MAX_LENGTHS = { database: MAX_DATABASE_NAME_LENGTH, user: MAX_USER_NAME_LENGTH } as const

/** Adds the account's prefix unless the name has it already. */
export const withPrefix = (prefix: string, name: string): string =>
  name.startsWith(prefix) ? name : `${prefix}${name}`

/** Why a full name is invalid, apart from who owns it. */
export function nameProblem(kind: keyof typeof MAX_LENGTHS, name: string): string | undefined {
  if (name.length > MAX_LENGTHS[kind]) return `must be at most ${MAX_LENGTHS[kind]} characters with the prefix: ${name}`
  return NAME_PATTERN.test(name) ? undefined : 'must begin and end with a letter or digit after the prefix'
}
