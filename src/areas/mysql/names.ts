import type { Context } from '../../runtime/context.ts'
import { longestDatabase, longestUser, wholeName } from '../../shared/sql/names.ts'
import { accountById } from '../accounts/store.ts'

export const prefixOf = ({ db }: Pick<Context, 'db'>, account: string): string => accountById(db, account)!.db_prefix

const longest = { database: longestDatabase, user: longestUser } as const

/** Adds the account's prefix unless the name has it already. */
export const withPrefix = (prefix: string, name: string): string =>
  name.startsWith(prefix) ? name : `${prefix}${name}`

/** Why a full name is invalid, apart from who owns it. */
export function nameFault(kind: keyof typeof longest, name: string): string | undefined {
  if (name.length > longest[kind]) return `must be at most ${longest[kind]} characters with the prefix: ${name}`
  return wholeName.test(name) ? undefined : 'must begin and end with a letter or digit after the prefix'
}
