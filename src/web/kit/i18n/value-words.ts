import { lookupOwn } from '../lookup.ts'
import names from './names.json' with { type: 'json' }

/** Labels for values that do not explain themselves; some apply only to certain fields. */
const { values: words }: { readonly values: Readonly<Record<string, string>> } = names

/** Fields with a closed set of values. */
const closed = new Set([
  ...['action', 'backup_schedule', 'effective_routing', 'every', 'handler', 'kind', 'listen', 'match', 'owner_type'],
  ...['parts', 'principal_type', 'role', 'roles', 'routing', 'severity', 'source', 'theme', 'trigger', 'type'],
  ...['two_factor_required', 'use', 'via'],
])

/** A language's name in that language. */
export const tongue = (locale: string): string =>
  new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale

const last = (field: string): string => field.slice(field.lastIndexOf('.') + 1)

export const isClosed = (field: string): boolean => closed.has(last(field))

export const wordOf = (value: string, field = ''): string | undefined =>
  lookupOwn(words, `${last(field)}=${value}`) ?? lookupOwn(words, value)
